"""An engine that has no racks: an outside system in a process of its own (`server`), and the adapter that talks to it (`client`).

The portal never reads its state except through its API. It imports no Django.
"""
