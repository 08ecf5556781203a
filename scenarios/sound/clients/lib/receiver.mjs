// Tasks that servers make of their questions (2025-11-25): the client is the receiver, and runs them.
import { randomUUID } from 'node:crypto';
import { answer } from './answers.mjs';
import { sleep } from './traits.mjs';

const related = (taskId) => ({ 'io.modelcontextprotocol/related-task': { taskId } });
const ended = (task) => ['completed', 'failed', 'cancelled'].includes(task.status);
const failure = (code, message) => ({ error: { code, message } });

export class Receiver {
  constructor(task, notify) {
    Object.assign(this, { task, notify, tasks: new Map() });
  }

  /** Whether the request is one of ours: it makes a task, or asks about one. */
  takes(method, params) {
    const declared = this.task.capabilities.tasks;
    if (!declared) return false;
    if (method === 'tasks/list' || method === 'tasks/cancel') return declared[method.slice(6)] !== undefined;
    if (method === 'tasks/get' || method === 'tasks/result') return true;
    const [area, name] = method.split('/');
    return params?.task !== undefined && declared.requests?.[area]?.[name] !== undefined;
  }

  async handle(method, params = {}) {
    if (!method.startsWith('tasks/')) return this.create(method, params);
    if (method === 'tasks/list') return this.list(params);
    const task = this.tasks.get(params.taskId);
    if (!task) return failure(-32602, `Failed to find task ${params.taskId}`);
    if (method === 'tasks/get') return { result: shown(task) };
    if (method === 'tasks/result') {
      const outcome = await task.outcome;
      return outcome.result ? { result: { ...outcome.result, _meta: { ...outcome.result._meta, ...related(task.taskId) } } } : outcome;
    }
    if (ended(task)) return failure(-32602, `Cannot cancel a task that is ${task.status}`);
    this.end(task, 'cancelled', failure(-32603, 'The task was cancelled'));
    if (this.task.received.forget) this.tasks.delete(task.taskId);  // which it may do at once
    return { result: shown(task) };
  }

  create(method, params) {
    const { received } = this.task;
    const now = new Date().toISOString();
    const task = { taskId: randomUUID(), status: 'working', createdAt: now, lastUpdatedAt: now, ttl: Math.min(params.task?.ttl ?? 60000, received.ttl ?? 600000), pollInterval: received.interval ?? 100 };
    if (received.odd) Object.assign(task, { createdAt: inAnotherZone(), lastUpdatedAt: inAnotherZone(), ttl: 3600000, pollInterval: undefined, statusMessage: '' });
    task.outcome = new Promise((resolve) => { task.settle = resolve; });
    this.tasks.set(task.taskId, task);
    if (received.ttl) setTimeout(() => this.tasks.delete(task.taskId), task.ttl + 1).unref();
    this.run(task, method, params);
    return { result: { task: shown(task) } };
  }

  async run(task, method, params) {
    await sleep(150);
    const token = params._meta?.progressToken;
    if (token !== undefined && !ended(task)) {
      this.notify('notifications/progress', { progressToken: token, progress: 1, total: 2, message: 'thinking', _meta: related(task.taskId) });
    }
    const outcome = await answer(this.task, method, params);
    await sleep(50);
    this.end(task, outcome.result ? 'completed' : 'failed', outcome);
  }

  end(task, status, outcome) {
    if (ended(task)) return;
    task.status = status;
    task.lastUpdatedAt = this.task.received.odd ? inAnotherZone() : new Date().toISOString();
    if (outcome.error) task.statusMessage = outcome.error.message;
    task.settle(outcome);
    if (this.task.received.notes) this.notify('notifications/tasks/status', shown(task));
  }

  /** Some tasks to a page; the cursor is the number of tasks before the page. */
  list({ cursor }) {
    const size = this.task.received.page ?? 5;
    const all = [...this.tasks.values()];
    const from = cursor === undefined ? 0 : /^after-[0-9]+$/.test(cursor) ? Number(cursor.slice(6)) : NaN;
    if (!(from < Math.max(1, all.length))) return failure(-32602, 'No such cursor');
    const result = { tasks: all.slice(from, from + size).map(shown) };
    if (from + size < all.length) result.nextCursor = `after-${from + size}`;
    return { result };
  }
}

/** The time in another zone, without fractions, as ISO 8601 has it too. */
function inAnotherZone() {
  return `${new Date(Date.now() + 5.5 * 3600000).toISOString().slice(0, 19)}+05:30`;
}

const shown = ({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval }) => ({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval });
