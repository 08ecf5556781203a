// Tools called as tasks (2025-11-25): the task is polled until it ends, and then its result is fetched.
import { sleep } from './traits.mjs';

const ended = (state) => ['completed', 'failed', 'cancelled'].includes(state.status);

export async function runAsTask(task, client, params) {
  const created = await client.request('tools/call', { ...params, task: { ttl: 60000 } });
  let state = created.task;
  if (!state) return created;  // the server ignored our wish, and this is the result
  let result = null;
  const until = Date.now() + 6000;
  // Who waits for the result all the time need not poll.
  if (task.taskStyle === 'waits') return client.request('tasks/result', { taskId: state.taskId }, { timeout: 6000 });
  if (task.taskStyle === 'cancels') return client.request('tasks/cancel', { taskId: state.taskId });
  if (task.taskStyle === 'lists' && client.server.tasks.list) await client.request('tasks/list');
  while (!ended(state) && Date.now() < until) {
    // A task that wants input is asked for its result, so that the question can reach us; we go on polling beside it.
    if (state.status === 'input_required') result ??= client.request('tasks/result', { taskId: state.taskId }, { timeout: 6000 }).catch(() => null);
    await sleep((state.pollInterval ?? 500) * task.pollFactor);
    state = await client.request('tasks/get', { taskId: state.taskId });
  }
  if (!ended(state)) return client.request('tasks/cancel', { taskId: state.taskId });
  return await result ?? client.request('tasks/result', { taskId: state.taskId });
}
