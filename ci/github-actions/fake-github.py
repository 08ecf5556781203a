#!/usr/bin/python3
"""Comments on issues as GitHub keeps them, for ci/action-test: prints the URL of its API. One token may write, one only read."""
import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

COMMENTS = []


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_call(self):
        path = urlsplit(self.path)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in ("secret", "reads-only"):
            return self.answer(401, {})
        if self.command == "GET":
            query = parse_qs(path.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return self.answer(200, COMMENTS[size * (page - 1) : size * page])
        if token == "reads-only":
            return self.answer(403, {})
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if self.command == "POST" and re.fullmatch("/repos/a/b/issues/7/comments", path.path):
            COMMENTS.append({"id": len(COMMENTS) + 1, "body": body})
            return self.answer(201, COMMENTS[-1])
        known = re.fullmatch(r"/repos/a/b/issues/comments/(\d+)", path.path)
        if self.command == "PATCH" and known:
            COMMENTS[int(known[1]) - 1]["body"] = body
            return self.answer(200, COMMENTS[int(known[1]) - 1])
        return self.answer(404, {})

    do_GET = do_POST = do_PATCH = handle_call

    def log_message(self, *_):
        pass


SERVER = HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{SERVER.server_port}", flush=True)
SERVER.serve_forever()
