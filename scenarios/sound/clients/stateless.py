"""A sound client of 2026-07-28 in Python with the standard library: one request at a time, nothing kept between them.

    python3 stateless.py URL
    python3 stateless.py --server WORDS...

Each request goes over a connection of its own; over stdio one process serves all, and is started again when it exits.
It declares elicitation only, its user accepts every form, and it listens to nothing.
"""
import base64
import http.client
import itertools
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
import urllib.parse

REVISION = "2026-07-28"
PATIENCE = 1.5
PREFIX = "io.modelcontextprotocol/"
META = {
    PREFIX + "protocolVersion": REVISION,
    PREFIX + "clientInfo": {"name": "sound-python", "version": "1"},
    PREFIX + "clientCapabilities": {"elicitation": {"form": {}}},
}
numbers = itertools.count(7)


class Failed(Exception):
    """The request got no result; `code` is that of a JSON-RPC error, `lost` says that it may be sent again."""

    def __init__(self, text, code=None, data=None, lost=False):
        super().__init__(text)
        self.code, self.data, self.lost = code, data or {}, lost


def result_of(answer):
    if "error" in answer:
        error = answer["error"]
        raise Failed(error.get("message"), error.get("code"), error.get("data"))
    return answer["result"]


class Stdio:
    def __init__(self, words):
        self.words, self.child = words, None

    def start(self):
        self.child = subprocess.Popen(self.words, shell=len(self.words) == 1, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        self.rest = b""

    def send(self, message, fields=None):
        if self.child is None or self.child.poll() is not None:
            self.start()
        until = time.monotonic() + PATIENCE
        try:
            self.child.stdin.write(json.dumps(message).encode() + b"\n")
            for answer in self.lines(until):
                if isinstance(answer, dict) and "method" not in answer and answer.get("id") == message["id"]:
                    return result_of(answer)
        except BrokenPipeError:
            pass
        if self.child.poll() is None and time.monotonic() >= until:
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}}
            self.child.stdin.write(json.dumps(note).encode() + b"\n")
            raise Failed("timed out")
        self.child.wait(1)
        raise Failed("the server exited")

    def lines(self, until):
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
                return
            self.rest += data

    def close(self):
        if self.child is None:
            return
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

    def send(self, message, fields=None):
        params = message["params"]
        headers = {"accept": "text/event-stream;q=0.5, application/json", "content-type": "application/json; charset=utf-8",
                   "mcp-protocol-version": REVISION, "mcp-method": message["method"], **(fields or {})}
        if "name" in params or "uri" in params:
            headers["mcp-name"] = encoded(params.get("name", params.get("uri")))
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=PATIENCE)
        try:
            connection.request("POST", self.url.path or "/", json.dumps(message).encode(), headers)
            response = connection.getresponse()
            if not (response.getheader("Content-Type") or "").startswith("text/event-stream"):
                return result_of(json.loads(response.read()))
            until = time.monotonic() + PATIENCE
            for line in response:
                if time.monotonic() > until:
                    raise Failed("timed out")
                if line.startswith(b"data:") and line[5:].strip():
                    try:
                        answer = json.loads(line[5:])
                    except ValueError:
                        continue
                    if isinstance(answer, dict) and "method" not in answer and answer.get("id") == message["id"]:
                        return result_of(answer)
            raise Failed("the stream ended", lost=True)
        except (ValueError, TypeError) as error:
            raise Failed(str(error)) from error
        except TimeoutError as error:
            raise Failed("timed out") from error
        except (OSError, http.client.HTTPException) as error:
            raise Failed(str(error), lost=True) from error
        finally:
            connection.close()  # also cancels what is still under way

    def close(self):
        pass


def encoded(text):
    plain = all(" " <= sign <= "~" for sign in text) and text == text.strip()
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def marks(schema, path):
    """Each x-mcp-header of a schema, as (its value, the schema that has it, the path to it or None where no path is allowed)."""
    if isinstance(schema, list):
        for one in schema:
            yield from marks(one, None)
    if not isinstance(schema, dict):
        return
    if "x-mcp-header" in schema:
        yield schema["x-mcp-header"], schema, path
    for key, one in schema.items():
        if key == "properties" and isinstance(one, dict):
            for name, field in one.items():
                yield from marks(field, None if path is None else path + [name])
        elif key not in ("default", "const", "enum", "examples"):
            yield from marks(one, None)


def repeated(tool):
    """The parameters that go into header fields too, as {name: path}; None where the tool breaks a rule of theirs."""
    found = {}
    for name, schema, path in marks(tool["inputSchema"], []):
        good = path and isinstance(name, str) and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name)
        if not good or schema.get("type") not in ("integer", "string", "boolean") or name.lower() in map(str.lower, found):
            return None
        found[name] = path
    return found


def fields_for(tool, arguments):
    fields = {}
    for name, path in repeated(tool).items():
        at = arguments
        for step in path:
            at = at.get(step) if isinstance(at, dict) else None
        if at is not None:
            fields[f"mcp-param-{name}"] = encoded(at if isinstance(at, str) else json.dumps(at))
    return fields


def fill_in(schema):
    """A form as its defaults and smallest values have it, or None: then the user sees that it cannot be filled in."""
    content = {}
    for name, field in schema.get("properties", {}).items():
        if "default" in field:
            content[name] = field["default"]
        elif name not in schema.get("required", []):
            continue
        elif field.get("enum"):
            content[name] = field["enum"][0]
        elif field.get("type") == "boolean":
            content[name] = True
        elif field.get("type") in ("integer", "number"):
            content[name] = field.get("minimum", min(18, field.get("maximum", 18)))
        elif field.get("type") == "string" and not {"pattern", "format", "minLength", "maxLength", "oneOf"} & field.keys():
            content[name] = "sound"
        else:
            return None
    return content


def answers_to(questions):
    answers = {}
    for key, question in questions.items():
        params = question.get("params", {})
        if question.get("method") != "elicitation/create" or params.get("mode", "form") != "form":
            raise Failed("the server asks for what was not declared")
        content = fill_in(params["requestedSchema"])
        answers[key] = {"action": "decline"} if content is None else {"action": "accept", "content": content}
    return answers


class Client:
    def __init__(self, transport):
        self.transport = transport

    def request(self, method, params=None, fields=None):
        more, tries = {}, 0
        while True:
            message = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": {"_meta": META, **(params or {}), **more}}
            tries += 1
            try:
                result = self.transport.send(message, fields)
            except Failed as failed:
                again = failed.lost or (failed.code == -32022 and REVISION in failed.data.get("supported", []))
                if again and tries < 4:
                    continue
                raise
            kind = result.get("resultType", "complete")
            if kind == "complete":
                return result
            if kind != "input_required" or method not in ("tools/call", "resources/read", "prompts/get") or tries > 6:
                raise Failed(f"a result of the type {kind}")
            more = {}
            if "inputRequests" in result:
                more["inputResponses"] = answers_to(result["inputRequests"])
            if "requestState" in result:
                more["requestState"] = result["requestState"]

    def list(self, method, key):
        items, params = [], {}
        for _ in range(100):
            result = self.request(method, params)
            items += result[key]
            if result.get("nextCursor") is None:
                break
            params = {"cursor": result["nextCursor"]}
        return items


def list_tools(client):
    try:
        return client.list("tools/list", "tools")
    except Failed as failed:
        if failed.code != -32602:
            raise
        return client.list("tools/list", "tools")  # a cursor did not hold: from the beginning


def work(client):
    capabilities = client.request("server/discover")["capabilities"]
    if "tools" not in capabilities:
        return
    for tool in list_tools(client):
        try:
            call(client, tool)
        except Failed as failed:
            print(tool["name"], failed, file=sys.stderr)


def call(client, tool):
    over_http = isinstance(client.transport, Http)
    if over_http and repeated(tool) is None:
        print("warning: left out", tool["name"], "for its x-mcp-header", file=sys.stderr)
        return
    values = {"string": "sound", "integer": 1, "number": 0.5, "boolean": False, "array": []}
    schema = tool["inputSchema"]
    arguments = {name: values.get(field.get("type"), {}) for name, field in schema.get("properties", {}).items() if isinstance(field, dict)}
    if "enum" in json.dumps(schema):
        arguments = {name: schema["properties"][name].get("enum", [value])[0] for name, value in arguments.items()}
    params = {"name": tool["name"], "arguments": arguments}
    try:
        client.request("tools/call", params, fields_for(tool, arguments) if over_http else None)
    except Failed as failed:
        if failed.code != -32020:
            raise
        for renewed in list_tools(client):
            if renewed["name"] == tool["name"] and repeated(renewed) is not None:
                client.request("tools/call", params, fields_for(renewed, arguments))


def main():
    words = sys.argv[1:]
    transport = Stdio(words[words.index("--server") + 1:]) if "--server" in words else Http(words[-1])
    try:
        work(Client(transport))
    except Failed as failed:
        print(failed, file=sys.stderr)
    transport.close()


main()
