#include "harness/watch/page_files.h"

namespace assay::harness {

const std::string_view kWatchHead = R"watch(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Watch - mcp-assay</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
)watch";

const std::string_view kWatchStyle = R"watch(
:root { color-scheme: light dark; --page: #fff; --text: #1b1b1b; --line: #8884; --bad: #b71c1c;
  --good: #1b5e20; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181c; --text: #e8e8e8; --bad: #ff8a80; --good: #81c784; } }
* { box-sizing: border-box; }
body { background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem; }
h1 { font-size: 1.25rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
#state { margin: 0; opacity: .75; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
th { font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 13px/1.4 ui-monospace, monospace; }
pre { margin: .25rem 0 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.scroll { overflow-x: auto; }
mark { background: #ffd54f; color: #000; }
.violation { border-left: 4px solid var(--bad); margin: 0 0 .75rem; padding: .25rem .75rem; }
.violation b { color: var(--bad); }
.violation p { margin: .25rem 0; overflow-wrap: anywhere; }
.message { border-bottom: 1px solid var(--line); padding: .2rem 0; }
.message summary { cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.message .who { display: inline-block; margin-right: .75rem; min-width: 3.5rem; }
.note { padding-left: 1rem; overflow-wrap: anywhere; }
.who { opacity: .8; }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
)watch";

const std::string_view kWatchBody = R"watch(</head><body><main>
<h1 id="title">Watch</h1>
<p id="state" role="status">connecting</p>
<section id="guide" hidden>
<h2>Connect the application to</h2>
<pre id="where" tabindex="0"></pre>
<h2>Do next</h2>
<ul id="next" aria-live="polite"></ul>
</section>
<h2>Sessions</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Sessions"><table><thead><tr><th scope="col" class="number">#</th><th scope="col">Session</th><th scope="col">Server</th><th scope="col">Transport</th>
<th scope="col" class="number">Messages</th><th scope="col">Violations</th><th scope="col">State</th></tr></thead>
<tbody id="sessions"></tbody></table></div>
<h2>Violations</h2>
<div id="violations" aria-live="polite"><p id="none">none so far</p></div>
<h2>Last messages</h2>
<p class="who">The newest first, at most 200. Open one to read it whole.</p>
<div id="messages"></div>
</main>
)watch";

// Texts of strangers become text nodes, and nothing else.
const std::string_view kWatchScript = R"watch(
'use strict';
const byId = (id) => document.getElementById(id);
const kMostMessages = 200;
const kMostViolations = 200;
const shownViolations = new Map();

// What cannot be seen, or changes how its surroundings are shown, is spelled out.
function safe(text) {
  return String(text).replace(
      /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      (c) => '<U+' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '>');
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = safe(text);
  return made;
}

// How much is wrong, where a person sees it who looks at another window.
function showTitle(count) {
  const name = byId('title').textContent;
  document.title = (count > 0 ? count + (count === 1 ? ' violation' : ' violations') + ' - ' : '') + name + ' - mcp-assay';
}

function showSessions(sessions) {
  showTitle(sessions.reduce((sum, each) => sum + each.violations, 0));
  byId('sessions').replaceChildren(...sessions.map((each) => {
    const row = element('tr');
    const found = each.violations > 0;
    row.append(element('td', 'number', each.number), element('td', '', each.name),
        element('td', '', each.target), element('td', '', each.transport),
        element('td', 'number', each.messages + (each.left_out ? ' + ' + each.left_out + ' not shown' : '')),
        element('td', found ? 'bad' : 'good', found ? each.violations : 'none'),
        element('td', '', each.has_ended ? 'ended' : 'open'));
    return row;
  }));
}

function showGuide(guide) {
  byId('guide').hidden = false;
  byId('title').textContent = 'Interactive session';
  document.title = document.title.replace(/Watch - /, 'Interactive session - ');
  byId('where').textContent = guide.where.split('\n').map(safe).join('\n');
  const next = guide.next.length ? guide.next : ['nothing: all that can be watched has come up'];
  byId('next').replaceChildren(...next.map((each) => element('li', '', each)));
}

function addFirst(list, item, most) {
  list.prepend(item);
  while (list.children.length > most) list.lastChild.remove();
}

function showViolation(session, told) {
  const box = element('div', 'violation');
  // The same again is counted, not told again.
  const key = JSON.stringify([session, told.party, told.rule, told.detail]);
  const known = shownViolations.get(key);
  if (known) {
    known.count += 1;
    known.times.textContent = ' seen ' + known.count + ' times';
    return;
  }
  const title = element('div');
  const times = element('span', 'who');
  title.append(element('b', '', told.rule), 
      safe(' (' + told.level + '), ' + told.party + ' of session ' + session + ', message ' + told.n));
  const proof = element('pre');
  proof.append(safe(told.before || ''));
  if (told.marked) proof.append(element('mark', '', told.marked));
  proof.append(safe(told.after || ''));
  if (told.missing) proof.append('\nmissing: ' + safe(told.missing));
  title.append(times);
  shownViolations.set(key, { count: 1, times });
  box.append(title, element('p', '', told.detail));
  if (told.fix) {
    const fix = element('p');
    fix.append(element('strong', '', 'Fix: '), safe(told.fix));
    box.append(fix);
  }
  box.append(proof);
  const none = byId('none');
  if (none) none.remove();
  addFirst(byId('violations'), box, kMostViolations);
}

function showMessage(session, told) {
  const number = element('span', 'who', session + '.' + told.n);
  const party = element('span', 'who', told.party);
  if (told.note) {
    const row = element('div', 'message note');
    row.append(number, party, element('span', 'who', told.note));
    addFirst(byId('messages'), row, kMostMessages);
    return;
  }
  const row = element('details', 'message');
  const summary = element('summary');
  summary.append(number, party, element('code', '', told.text));
  row.append(summary);
  // Most are never opened.
  row.addEventListener('toggle', () => {
    if (row.open && row.children.length === 1) row.append(element('pre', '', told.text));
  });
  addFirst(byId('messages'), row, kMostMessages);
}

function showLine(session, line) {
  if (line.violation) showViolation(session, line.violation);
  if (line.message) showMessage(session, line.message);
}

const news = new EventSource(location.pathname + '/events');
news.onopen = () => {
  byId('state').textContent = 'live';
  byId('messages').replaceChildren();
  shownViolations.clear();
  byId('violations').replaceChildren(element('p', '', ''));
  byId('violations').firstChild.id = 'none';
  byId('none').textContent = 'none so far';
};
news.onerror = () => { byId('state').textContent = 'the watch has ended, or cannot be reached'; };
news.onmessage = (event) => {
  const told = JSON.parse(event.data);
  if (told.guide) showGuide(told.guide);
  if (told.sessions) showSessions(told.sessions);
  for (const each of told.lines || []) showLine(each.session, each.line);
};
)watch";

}  // namespace assay::harness
