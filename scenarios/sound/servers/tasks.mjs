// Servers with tasks, which 2025-11-25 has (Tasks).

import {randomUUID} from 'node:crypto';

import {echo, fail, text} from './content.mjs';
import {isObject, META, RpcError, sleep} from './protocol.mjs';
import {serve, traitOf} from './lib.mjs';

const tasks = new Map();
const related = (id) => ({[`${META}related-task`]: {taskId: id}});

// Times of ISO 8601, cut to whole seconds; `offset` writes them with another time zone than UTC.
function timeOf(date, {offset}) {
  if (!offset) return date.toISOString().replace(/\.\d+Z$/, 'Z');
  return new Date(date.getTime() + 7200000).toISOString().replace(/\.\d+Z$/, '+02:00');
}

function shown(task, choice) {
  const {id, status, statusMessage, created, updated, ttl} = task;
  const more = choice.poll ? {pollInterval: choice.poll} : {};
  if (statusMessage) more.statusMessage = statusMessage;
  return {
    taskId: id, status, createdAt: timeOf(created, choice), lastUpdatedAt: timeOf(updated, choice),
    ttl, ...more,
  };
}

function move(task, status, statusMessage) {
  if (['completed', 'failed', 'cancelled'].includes(task.status)) return false;
  Object.assign(task, {status, statusMessage, updated: new Date()});
  if (status !== 'working') task.settle();
  return true;
}

function start(tool, given, context, choice) {
  const wanted = context.params.task.ttl;
  const task = {
    id: randomUUID(), status: 'working', created: new Date(), updated: new Date(),
    ttl: choice.unlimited ? null : Math.min(typeof wanted === 'number' ? wanted : 60000, 60000),
    owner: context.session,
  };
  task.settled = new Promise((resolve) => { task.settle = resolve; });
  tasks.set(task.id, task);
  if (task.ttl !== null) setTimeout(() => tasks.delete(task.id), task.ttl).unref();
  (async () => {
    await sleep(choice.takes);
    task.result = await tool.call(given, context);
    const bad = task.result.isError;
    if (move(task, bad ? 'failed' : 'completed', bad ? 'The tool failed' : undefined) &&
        choice.tells) {
      task.owner.notify('notifications/tasks/status', shown(task, choice));
    }
  })();
  return {task: shown(task, choice)};
}

function found(context) {
  const task = tasks.get(context.params.taskId);
  if (!task || task.owner !== context.session) throw new RpcError(-32602, 'Task not found');
  return task;
}

function methods(choice) {
  const all = {
    'tasks/get': (context) => shown(found(context), choice),
    async 'tasks/result'(context) {
      const task = found(context);
      await task.settled;
      if (task.status === 'cancelled') {
        throw new RpcError(-32603, 'The task was cancelled', related(task.id));
      }
      return {...task.result, _meta: {...task.result._meta, ...related(task.id)}};
    },
    'tasks/cancel'(context) {
      const task = found(context);
      if (!move(task, 'cancelled', 'as you wish')) {
        throw new RpcError(-32602, `This task is ${task.status} already`);
      }
      return shown(task, choice);
    },
  };
  if (choice.list) {
    all['tasks/list'] = (context) => {
      if (context.params.cursor !== undefined) throw new RpcError(-32602, 'Invalid cursor');
      const own = [...tasks.values()].filter(({owner}) => owner === context.session);
      return {tasks: own.map((task) => shown(task, choice))};
    };
  }
  return all;
}

// The tool runs as a task where it is asked to; `taskSupport` says whether it may, or has to (see
// methods.mjs).
function asTask(tool, taskSupport, choice) {
  return {
    ...tool,
    execution: {taskSupport},
    call(given, context) {
      if (isObject(context.params.task)) return start(tool, given, context, choice);
      return tool.call(given, context);
    },
  };
}

function withTasks(choice) {
  const declared = {cancel: {}, requests: {tools: {call: {}}}};
  if (choice.list) declared.list = {};
  const never = {
    ...echo, name: 'never', description: 'Does not run as a task',
    call(given, context) {
      if (context.params.task) throw new RpcError(-32601, 'This tool does not run as a task');
      return text(given.text);
    },
  };
  return {
    revisions: ['2025-11-25'],
    capabilities: {tools: {}, tasks: declared},
    tools: [asTask(echo, 'optional', choice), asTask(fail, 'optional', choice), never,
            asTask({...echo, name: 'must'}, 'required', choice)],
    methods: methods(choice),
    http: {answers: 'mixed'},
    validatesFirst: choice.validatesFirst,
  };
}

serve(traitOf({
  // As long as a second, so that the time of the last update differs only now and then.
  'seconds': () => withTasks({takes: 1100, list: true}),
  'at-once': () => withTasks({takes: 0, poll: 20, list: true}),
  'zone': () => withTasks({takes: 300, poll: 100, offset: true, tells: true}),
  // Arguments are looked at before `taskSupport` is.
  'validates-first': () => withTasks({takes: 300, validatesFirst: true}),
  'unlimited': () => withTasks({takes: 300, unlimited: true}),
}));
