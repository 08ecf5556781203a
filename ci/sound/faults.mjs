// Known faults of the reference server for ci/soak: [fault, revision, transport]. What breaks each is to be seen through any timing, or
// to be left open; it may not be missed. They are of different topics, and judged in different ways.
export const kFaults = [
  // From what is seen.
  ['error-code-string', '2025-11-25', 'stdio'],
  ['ids-of-32-bits', '2024-11-05', 'stdio'],
  ['structured-number-spoiled', '2026-07-28', 'http'],
  ['unknown-version-echoed', '2025-06-18', 'stdio'],
  ['stdout-json-log', '2025-11-25', 'stdio'],
  ['log-level-ignored', '2025-06-18', 'http'],
  ['mismatch-200', '2026-07-28', 'http'],
  ['origin-unchecked', '2025-03-26', 'http'],
  // From what does not come.
  ['batch-answer-lost', '2025-03-26', 'http'],
  ['missing-capability-unanswered', '2025-06-18', 'stdio'],
  ['list-change-unannounced', '2025-11-25', 'http'],
  ['prompt-change-unannounced', '2024-11-05', 'stdio'],
  ['subscription-unacknowledged', '2026-07-28', 'stdio'],
  ['task-cancelled-without-result', '2025-11-25', 'stdio'],
  ['streams-left-open', '2025-11-25', 'http'],
  // From what comes after, or before, something else.
  ['progress-backwards', '2025-11-25', 'stdio'],
  ['progress-after-answer', '2025-06-18', 'stdio'],
  ['cancelled-call-answered', '2025-11-25', 'http'],
  ['subscription-acknowledged-late', '2026-07-28', 'http'],
  ['asks-before-initialized', '2025-11-25', 'stdio'],
  ['answers-twice', '2025-03-26', 'stdio'],
  ['updates-after-unsubscribe', '2025-06-18', 'stdio'],
  ['task-result-early', '2025-11-25', 'http'],
  ['cancels-what-was-answered', '2025-11-25', 'stdio'],
  // From connections, streams and sessions.
  ['delete-ignored', '2025-11-25', 'http'],
  ['progress-on-other-stream', '2025-11-25', 'http'],
  ['disconnection-cancels', '2025-06-18', 'http'],
  ['log-level-remembered', '2026-07-28', 'http'],
  ['subscription-outlives-cancellation', '2026-07-28', 'stdio'],
  ['listeners-one-at-a-time', '2026-07-28', 'stdio'],
];
