"""A portal that answers what it is told, on loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Stub:
    """`answers` are the statuses of the next requests; after them 202. A status of 0 drops the connection."""

    def __init__(self) -> None:
        stub = self
        self.batches: list[dict] = []
        self.tokens: list[str] = []
        self.connections = 0
        self.answers: list[int] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                stub.connections += 1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = stub.answers.pop(0) if stub.answers else 202
                if status == 0:
                    self.close_connection = True
                    return
                if status == 202:
                    stub.batches.append(body)
                    stub.tokens.append(self.headers["Authorization"])
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
