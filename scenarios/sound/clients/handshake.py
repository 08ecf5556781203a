"""A sound client in Python with the standard library and one thread: 2024-11-05 to 2025-11-25, over stdio and Streamable HTTP.

    python3 handshake.py URL
    python3 handshake.py --server WORDS...

It is independent of lib/. All its reading blocks; a question of the server is answered where it is read, in the
middle of waiting for an answer of its own. It uses fixed ids, as texts, and never opens a GET stream.
"""
import http.client
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import urllib.parse

REVISION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
PATIENCE = 1.5  # seconds for each request


class Gone(Exception):
    """No answer will come."""


class Stdio:
    def __init__(self, words):
        self.child = subprocess.Popen(words, shell=len(words) == 1, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, bufsize=0)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        self.rest = b""

    def send(self, message):
        try:
            # Ensures that no text holds a line end, and that all of it is ASCII.
            self.child.stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError as error:
            raise Gone("the server exited") from error
        return iter(())

    def messages(self, until):
        """Yields what the server sends until a time."""
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                try:
                    yield json.loads(line)
                except ValueError:
                    pass
            if not self.selector.select(max(0, until - time.monotonic())):
                return
            data = os.read(self.child.stdout.fileno(), 65536)
            if not data:
                raise Gone("the server exited")
            self.rest += data

    def close(self):
        self.child.stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                self.child.wait(1.5)
                return
            except subprocess.TimeoutExpired:
                self.child.send_signal(number)
        self.child.wait(1)


class Http:
    def __init__(self, url):
        self.url = urllib.parse.urlsplit(url)
        self.session = None
        self.version = None

    def ask(self, method, body=None, **more):
        headers = {"Accept": "application/json, text/event-stream", "Connection": "close", **more}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.version and self.version >= "2025-06-18":
            headers["Mcp-Protocol-Version"] = self.version
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=PATIENCE)
        connection.request(method, self.url.path or "/", body, headers)
        return connection.getresponse()

    def send(self, message):
        """Sends a message; yields what comes back for it, and resumes a stream that ends too early."""
        try:
            response = self.ask("POST", json.dumps(message, ensure_ascii=False).encode())
            if isinstance(message, dict) and message.get("method") == "initialize":
                self.session = response.getheader("Mcp-Session-Id")
            elif response.status == 404 and self.session:
                raise Gone("session")
            if not (response.getheader("Content-Type") or "").startswith("text/event-stream"):
                text = response.read()
                if text:
                    yield json.loads(text)
                return
            last, retry = None, 300
            for _ in range(5):
                for event in events(response):
                    last = event.get("id", last)
                    retry = int(event.get("retry", retry))
                    if event.get("data"):
                        try:
                            yield json.loads(event["data"])
                        except ValueError:
                            pass  # no JSON, and no end of the stream
                if last is None:
                    return
                time.sleep(retry / 1000 + 0.02)
                response = self.ask("GET", Accept="text/event-stream", **{"Last-Event-ID": last})
                if response.status != 200:
                    return
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Gone(str(error)) from error

    def close(self):
        if self.session:
            try:
                self.ask("DELETE").read()
            except (OSError, http.client.HTTPException):
                pass


def events(response):
    """The events of a stream, each a dictionary of its fields. Its lines end in LF or CRLF, as far as this client goes."""
    event, data = {}, []
    for line in response:
        line = line.decode("utf-8").rstrip("\r\n")
        if not line:
            if data:
                event["data"] = "\n".join(data)
            yield event
            event, data = {}, []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "data":
            data.append(value)
        elif field:
            event[field] = value


class Client:
    def __init__(self, transport):
        self.transport = transport
        self.count = 0
        self.queue = []

    def reply(self, message):
        """Answers a question of the server at once; notifications pass."""
        batch = message if isinstance(message, list) else [message]
        replies = []
        for one in batch:
            if not isinstance(one, dict) or one.get("id") is None or "method" not in one:
                continue
            reply = {"jsonrpc": "2.0", "id": one["id"]}
            if one["method"] == "ping":
                reply["result"] = {}
            elif not isinstance(one["method"], str):
                reply["error"] = {"code": -32600, "message": "Invalid Request"}
            else:
                reply["error"] = {"code": -32601, "message": "Method not found"}
            replies.append(reply)
        if replies:
            self.drain(self.transport.send(replies if isinstance(message, list) else replies[0]))

    def drain(self, messages):
        for message in messages:
            self.queue.append(message)

    def request(self, method, params=None, cancel=True):
        self.count += 1
        number = f"{method}#{self.count}"
        message = {"method": method, "id": number, "jsonrpc": "2.0"}
        if params is not None:
            message["params"] = params
        until = time.monotonic() + PATIENCE
        try:
            for answer in self.arriving(message, until):
                for one in answer if isinstance(answer, list) else [answer]:
                    if isinstance(one, dict) and "method" not in one and one.get("id") == number:
                        if "result" not in one:
                            raise ValueError(one.get("error"))
                        return one["result"]
                self.reply(answer)
        except Gone as gone:
            if str(gone) != "timed out":
                raise
        if cancel:
            self.notify("notifications/cancelled", {"requestId": number})
        raise ValueError(f"{method} timed out")

    def arriving(self, message, until):
        """What arrives after a request was sent: over HTTP on its own stream, over stdio on the only one."""
        for answer in self.transport.send(message):
            yield answer
            if time.monotonic() > until:
                return
        if isinstance(self.transport, Stdio):
            yield from self.transport.messages(until)

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.drain(self.transport.send(message))

    def connect(self):
        if isinstance(self.transport, Http):
            self.transport.session = None
        info = {"name": "sound-python", "version": "1"}
        result = self.request("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": info}, cancel=False)
        if result["protocolVersion"] != REVISION:
            raise Gone("no version in common")
        self.transport.version = REVISION
        self.notify("notifications/initialized")
        return result["capabilities"]

    def list(self, method, key):
        items, cursor = [], None
        while True:
            result = self.request(method, None if cursor is None else {"cursor": cursor})
            items += result[key]
            cursor = result.get("nextCursor")
            if cursor is None:
                return items


def value(schema):
    """A value that a simple schema takes."""
    if not isinstance(schema, dict):
        return {}
    if "const" in schema:
        return schema["const"]
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: value(schema["properties"][name]) for name in schema.get("required", []) if name in schema.get("properties", {})}
    return {"string": "sound", "integer": 3, "number": 1.5, "boolean": False, "array": [], "null": None}.get(schema.get("type"), {})


def work(client):
    for attempt in range(2):
        try:
            capabilities = client.connect()
            if "tools" not in capabilities:
                return
            for tool in client.list("tools/list", "tools"):
                if tool.get("execution", {}).get("taskSupport") == "required":
                    continue  # this client makes no tasks
                try:
                    client.request("tools/call", {"name": tool["name"], "arguments": value(tool["inputSchema"])})
                except ValueError as error:
                    print(tool["name"], error, file=sys.stderr)
            return
        except ValueError as error:
            print(error, file=sys.stderr)
            return
        except Gone as gone:
            print(gone, file=sys.stderr)
            if str(gone) != "session":
                return


def main():
    words = sys.argv[1:]
    transport = Stdio(words[words.index("--server") + 1:]) if "--server" in words else Http(words[-1])
    try:
        work(Client(transport))
    except Gone as gone:
        print(gone, file=sys.stderr)
    transport.close()


main()
