"""The one style sheet of the hosted pages."""

SHEET = """
:root {
  color-scheme: light dark;
  --paper: #f8fafc; --card: #ffffff; --ink: #0f172a; --soft: #475569; --line: #e2e8f0; --accent: #0f766e; --on-accent: #ffffff;
  --fault: #b42318; --fault-paper: #fef3f2; --note: #fffbeb; --note-ink: #713f12; --note-line: #fde68a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0b1220; --card: #111a2c; --ink: #e5eaf2; --soft: #a3b0c2; --line: #26334a; --accent: #2dd4bf; --on-accent: #042f2e;
    --fault: #fda29b; --fault-paper: #2a1416; --note: #2a2110; --note-ink: #fde68a; --note-line: #5b4712;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans SC", "PingFang SC", sans-serif;
}
.banner { background: var(--note); color: var(--note-ink); border-bottom: 1px solid var(--note-line); padding: 8px 16px; text-align: center; font-weight: 600; }
.banner a { color: inherit; margin-left: 16px; font-weight: 400; }
main { max-width: 920px; margin: 0 auto; padding: 32px 16px 48px; display: grid; gap: 32px; }
@media (min-width: 760px) { main.two { grid-template-columns: 1fr 1fr; gap: 56px; padding-top: 56px; } }
main.one { max-width: 480px; }
h1 { font-size: 15px; font-weight: 500; color: var(--soft); margin: 0 0 4px; }
main.one h1 { font-size: 22px; font-weight: 650; color: var(--ink); }
h2 { font-size: 17px; font-weight: 650; margin: 0 0 12px; }
.amount { font-size: 34px; font-weight: 680; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; margin: 0 0 24px; overflow-wrap: anywhere; }
.amount small, td small { font-weight: 400; color: var(--soft); font-size: 0.6em; }
td small { font-size: 0.85em; }
table { width: 100%; border-collapse: collapse; }
td { padding: 12px 0; border-top: 1px solid var(--line); vertical-align: top; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 16px; }
td span { display: block; color: var(--soft); font-size: 13px; }
tr.sum td { font-weight: 650; }
.soft { color: var(--soft); font-size: 13px; }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; }
form { display: grid; gap: 10px; margin: 0; }
button, .button {
  display: flex; justify-content: space-between; align-items: center; gap: 12px; width: 100%; min-height: 56px; padding: 8px 16px; border-radius: 8px;
  border: 1px solid var(--line); background: transparent; color: var(--ink); font: inherit; text-align: left; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--accent); }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button b, .button b { font-weight: 600; }
button span { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.primary span { color: inherit; }
button .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.back { justify-content: center; min-height: 44px; border: 0; color: var(--soft); text-decoration: underline; margin-top: 8px; }
.fault { background: var(--fault-paper); color: var(--fault); border: 1px solid currentcolor; border-radius: 8px; padding: 12px 16px; margin: 0 0 16px; }
.fault b { display: block; }
"""
