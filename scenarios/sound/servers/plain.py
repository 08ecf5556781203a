#!/usr/bin/env python3
"""A server in Python with a single thread: one message at a time, and over HTTP one connection.

Options: --revision R (repeatable), --http, and --trait:
  one-connection  HTTP/1.0: each connection carries one request, the others wait in the queue
  keep-alive      HTTP/1.1: a connection is kept until it was idle for half a second; others wait
  three-times     every message is preceded by white space, written in three pieces
"""

import base64
import hashlib
import http.server
import json
import sys
import time
import uuid

MODERN = '2026-07-28'
LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
META = 'io.modelcontextprotocol/'
INFO = {'name': 'sound-in-python', 'version': '1.0'}
CACHEABLE = ['server/discover', 'tools/list', 'prompts/list']


def values_of(option):
    return [word for before, word in zip(sys.argv, sys.argv[1:]) if before == option]


TRAIT = (values_of('--trait') or ['one-connection'])[0]
REVISIONS = [known for known in LEGACY + [MODERN]
             if known in (values_of('--revision') or [known])]
OLD = [known for known in REVISIONS if known != MODERN]


class RpcError(Exception):
    def __init__(self, code, message, data=None, status=200):
        super().__init__(message)
        self.body = {'code': code, 'message': message}
        if data is not None:
            self.body['data'] = data
        self.status = status


class Session:
    def __init__(self, revision=None):
        self.revision = revision


def is_id(value):
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def refused_constant(name):
    raise ValueError(f'{name} is no JSON')


def parse(data):
    return json.loads(data.decode('utf-8'), parse_constant=refused_constant)


def newest():
    return REVISIONS[-1]


def failure(ident, error, revision):
    message = {'error': error.body, 'jsonrpc': '2.0'}
    if ident is not None or revision < '2025-11-25':
        message['id'] = ident
    return message


def tools(revision):
    listed = [
        {'name': 'digest', 'description': 'Gives the SHA-256 of a text in hexadecimal',
         'inputSchema': {'type': 'object', 'properties': {'text': {'type': 'string'}},
                         'required': ['text']}},
        {'name': 'clock', 'description': 'Gives the time in seconds',
         'inputSchema': {'type': 'object'}},
    ]
    if revision >= '2025-03-26':
        for tool in listed:
            tool['annotations'] = {'readOnlyHint': True}
    return listed


def call_tool(params, revision):
    given = params.get('arguments', {})
    if params.get('name') not in ('digest', 'clock'):
        raise RpcError(-32602, 'Unknown tool')
    if not isinstance(given, dict):
        raise RpcError(-32602, 'arguments has to be an object')
    if params['name'] == 'clock':
        return {'content': [{'type': 'text', 'text': str(int(time.time()))}]}
    if not isinstance(given.get('text'), str):
        if revision < '2025-11-25':
            raise RpcError(-32602, 'text has to be a string')
        return {'content': [{'type': 'text', 'text': 'text has to be a string'}], 'isError': True}
    found = hashlib.sha256(given['text'].encode('utf-8', 'surrogatepass')).hexdigest()
    return {'content': [{'type': 'text', 'text': found}]}


def get_prompt(params):
    if params.get('name') != 'ask':
        raise RpcError(-32602, f'There is no prompt {params.get("name")}')
    given = params.get('arguments', {})
    if not isinstance(given, dict) or not isinstance(given.get('what'), str):
        raise RpcError(-32602, 'The argument what is missing')
    return {'messages': [{'role': 'user', 'content': {'type': 'text', 'text': given['what']}}]}


def whole_list(params, member, items):
    if 'cursor' in params:
        raise RpcError(-32602, 'Invalid cursor')
    return {member: items}


def answer(method, params, revision):
    if method == 'ping' and revision != MODERN:
        return {}
    if method == 'tools/list':
        return whole_list(params, 'tools', tools(revision))
    if method == 'tools/call':
        return call_tool(params, revision)
    if method == 'prompts/list':
        return whole_list(params, 'prompts', [
            {'name': 'ask', 'arguments': [{'name': 'what', 'required': True}]}])
    if method == 'prompts/get':
        return get_prompt(params)
    raise RpcError(-32601, f'Method not found: {method}', status=404 if revision == MODERN else 200)


def initialize(params, session):
    if session.revision:
        raise RpcError(-32600, 'Already initialized')
    wanted = params.get('protocolVersion')
    if not (isinstance(wanted, str) and isinstance(params.get('clientInfo'), dict)
            and isinstance(params.get('capabilities'), dict)):
        raise RpcError(-32602, 'initialize lacks parameters')
    session.revision = wanted if wanted in OLD else OLD[-1]
    return {'protocolVersion': session.revision, 'serverInfo': INFO,
            'capabilities': {'tools': {}, 'prompts': {}}}


def modern(message, params, emit):
    """A request of 2026-07-28. A subscription is acknowledged, and ended at once: one thread."""
    method = message['method']
    meta = params.get('_meta')
    meta = meta if isinstance(meta, dict) else {}
    version = meta.get(META + 'protocolVersion')
    known = {'supported': REVISIONS}
    if not isinstance(version, str):
        raise RpcError(-32602, f'no protocolVersion in _meta; supported: {REVISIONS}', known, 400)
    if version != MODERN:
        raise RpcError(-32022, 'Unsupported protocol version', {**known, 'requested': version}, 400)
    if not isinstance(meta.get(META + 'clientCapabilities'), dict):
        raise RpcError(-32602, 'no clientCapabilities in _meta', None, 400)
    if method == 'server/discover':
        result = {'supportedVersions': REVISIONS, 'capabilities': {'tools': {}, 'prompts': {}}}
    elif method == 'subscriptions/listen':
        if not isinstance(params.get('notifications'), dict):
            raise RpcError(-32602, 'notifications has to be an object')
        mark = {META + 'subscriptionId': message['id']}
        emit({'jsonrpc': '2.0', 'method': 'notifications/subscriptions/acknowledged',
              'params': {'notifications': {}, '_meta': mark}})
        emit({'jsonrpc': '2.0', 'method': 'notifications/cancelled',
              'params': {'requestId': message['id'], '_meta': mark}})
        result = {'_meta': mark}
    else:
        result = answer(method, params, MODERN)
    if method in CACHEABLE:
        result = {**result, 'ttlMs': 0, 'cacheScope': 'private'}
    result['_meta'] = {**result.get('_meta', {}), META + 'serverInfo': INFO}
    return {**result, 'resultType': 'complete'}


def is_modern(message):
    if MODERN not in REVISIONS:
        return False
    params = message.get('params')
    meta = params.get('_meta') if isinstance(params, dict) else None
    return not OLD or (isinstance(meta, dict) and META + 'protocolVersion' in meta)


def handle(message, session, emit, new=False):
    """Returns the response, if there is any, and the status for HTTP; `new`: what HTTP says of its era."""
    revision = session.revision or newest()
    ident = message.get('id') if isinstance(message, dict) and is_id(message.get('id')) else None
    try:
        if not isinstance(message, dict) or message.get('jsonrpc') != '2.0':
            raise RpcError(-32600, 'No message of JSON-RPC 2.0', None, 400)
        if 'method' not in message:
            if 'result' in message or 'error' in message:
                return None, 202
            raise RpcError(-32600, 'No method', None, 400)
        if 'id' not in message:
            return None, 202
        if ident is None or not isinstance(message['method'], str):
            raise RpcError(-32600, 'Invalid request', None, 400)
        params = message.get('params', {})
        if not isinstance(params, dict):
            raise RpcError(-32602, 'params has to be an object', None, 400 if new else 200)
        if new or is_modern(message):
            result = modern(message, params, emit)
        elif message['method'] == 'initialize' and OLD:
            result = initialize(params, session)
        elif session.revision is None and message['method'] != 'ping':
            raise RpcError(-32602, 'Not initialized yet')
        else:
            result = answer(message['method'], params, session.revision or OLD[-1])
        return {'result': result, 'id': message['id'], 'jsonrpc': '2.0'}, 200
    except RpcError as error:
        return failure(ident, error, revision), error.status


def handle_any(message, session, emit):
    """The same for a batch, which 2025-03-26 has."""
    if not isinstance(message, list):
        return handle(message, session, emit)
    if session.revision != '2025-03-26' or not message:
        error = RpcError(-32600, 'No batches here', None, 400)
        return failure(None, error, session.revision or newest()), 400
    answers = []
    for one in message:
        if isinstance(one, dict) and one.get('method') == 'initialize':
            error = RpcError(-32600, 'initialize must not be part of a batch')
            answers.append(failure(one.get('id'), error, session.revision))
        else:
            answers.append(handle(one, session, emit)[0])
    answers = [one for one in answers if one is not None]
    return (answers, 200) if answers else (None, 202)


def over_stdio():
    session = Session()
    out = sys.stdout.buffer

    def emit(message):
        line = json.dumps(message).encode() + b'\n'
        if TRAIT != 'three-times':
            out.write(line)
            out.flush()
            return
        line = b'  \t' + line
        for piece in (line[:10], line[10:-1], line[-1:]):
            out.write(piece)
            out.flush()
            time.sleep(0.003)

    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            message = parse(line)
        except (ValueError, RecursionError):
            emit(failure(None, RpcError(-32700, 'Parse error'), session.revision or newest()))
            continue
        response, _ = handle_any(message, session, emit)
        if response is not None:
            emit(response)


class Handler(http.server.BaseHTTPRequestHandler):
    sessions = {}
    protocol_version = 'HTTP/1.1' if TRAIT == 'keep-alive' else 'HTTP/1.0'
    timeout = 0.5 if TRAIT == 'keep-alive' else 10

    def log_message(self, *_):
        pass

    def reply(self, status, message=None, kind='application/json', headers=()):
        body = message or b''
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status)
        if message is not None:
            self.send_header('Content-Type', kind)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, words, ident=None):
        self.reply(status, failure(ident, RpcError(code, words), newest()))

    def refused_early(self):
        own = [f'http://{name}:{self.server.server_port}' for name in ('127.0.0.1', 'localhost')]
        if self.headers.get('Origin', own[0]) not in own:
            self.close_connection = True
            self.reply(403)
        elif self.path != '/mcp':
            self.close_connection = True
            self.reply(404)
        else:
            return False
        return True

    def wrong_version(self):
        stated = self.headers.get('MCP-Protocol-Version')
        return bool(OLD) and stated is not None and stated not in OLD and OLD[-1] >= '2025-06-18'

    def do_GET(self):
        if self.refused_early():
            return
        if self.wrong_version():
            self.refuse(400, -32600, 'Unsupported MCP-Protocol-Version')
        else:
            self.reply(405, headers=[('Allow', 'POST')])

    do_DELETE = do_PUT = do_PATCH = do_OPTIONS = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        if self.refused_early():
            return
        try:
            message = parse(body)
        except (ValueError, RecursionError):
            self.refuse(400, -32700, 'Parse error')
            return
        stated = self.headers.get('MCP-Protocol-Version')
        told = MODERN in REVISIONS and stated == MODERN
        if not OLD or told or (isinstance(message, dict) and is_modern(message)):
            self.post_modern(message)
        else:
            self.post_legacy(message)

    def header_fault(self, message):
        params = message.get('params')
        params = params if isinstance(params, dict) else {}
        meta = params.get('_meta')
        version = self.headers.get('MCP-Protocol-Version')
        if version is None:
            return 'MCP-Protocol-Version is missing'
        if isinstance(meta, dict) and meta.get(META + 'protocolVersion', version) != version:
            return 'MCP-Protocol-Version differs from the body'
        if self.headers.get('Mcp-Method') != message.get('method'):
            return 'Mcp-Method differs from the body'
        if message['method'] in ('tools/call', 'prompts/get'):
            name = self.headers.get('Mcp-Name')
            if name is None:
                return 'Mcp-Name is missing'
            if name.startswith('=?base64?') and name.endswith('?='):
                try:
                    name = base64.b64decode(name[9:-2], validate=True).decode('utf-8')
                except ValueError:
                    return 'Mcp-Name is not encoded well'
            if isinstance(params.get('name'), str) and name != params['name']:
                return 'Mcp-Name differs from the body'
        return None

    def post_modern(self, message):
        if not isinstance(message, dict) or not isinstance(message.get('method'), str):
            self.refuse(400, -32600, 'Only a request or a notification is taken')
            return
        fault = self.header_fault(message) if 'id' in message else None
        if fault:
            ident = message['id'] if is_id(message['id']) else None
            self.refuse(400, -32020, f'{fault}; supported versions: {REVISIONS}', ident)
            return
        events = []
        response, status = handle(message, Session(), events.append, True)
        if not events:
            self.reply(status, response)
            return
        text = ''.join(f'data: {json.dumps(event)}\r\n\r\n' for event in events + [response])
        self.reply(200, text.encode(), 'text/event-stream', [('X-Accel-Buffering', 'no')])

    def post_legacy(self, message):
        if self.wrong_version():
            self.refuse(400, -32600, 'Unsupported MCP-Protocol-Version')
            return
        headers = []
        if isinstance(message, dict) and message.get('method') == 'initialize' and 'id' in message:
            session = Session()
            name = uuid.uuid4().hex
        else:
            name = self.headers.get('Mcp-Session-Id')
            if name not in self.sessions:
                self.refuse(400 if name is None else 404, -32600, 'No such session')
                return
            session = self.sessions[name]
        response, status = handle_any(message, session, lambda _: None)
        if name not in self.sessions and session.revision:
            self.sessions[name] = session
            headers = [('Mcp-Session-Id', name)]
        self.reply(status, response, headers=headers)


def over_http():
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    server.socket.listen(128)
    print(f'listening on http://127.0.0.1:{server.server_port}/mcp', flush=True)
    server.serve_forever()


if __name__ == '__main__':
    over_http() if '--http' in sys.argv else over_stdio()
