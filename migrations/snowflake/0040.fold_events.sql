-- The reducer: the state after these events of one run.
-- depends: 0039.foldable_events

CREATE OR REPLACE FUNCTION FOLD_EVENTS(P_STATE VARIANT, P_EVENTS ARRAY)
COPY GRANTS
RETURNS VARIANT
LANGUAGE JAVASCRIPT
IMMUTABLE
COMMENT = 'The state of a run after these events: the reducer.'
AS
$$
// What an event does: the machine that it moves, the status that it means to reach, what it leaves behind when it is
// applied, and the status that it turns each status into. A status that is not there refuses it.
// rules: begin (generated from the rows of PostgreSQL; make snowflake-rules)
const EVENT_EFFECTS = new Map([
  ['RunApproved', {machine: 'RUN', target: 'APPROVED', leaves: [], next: {PENDING: 'APPROVED'}}],
  ['RunCancelled', {
    machine: 'RUN',
    target: 'CANCELLED',
    leaves: ['completedAt'],
    next: {APPROVED: 'CANCELLED', PAUSED: 'CANCELLED', PENDING: 'CANCELLED', RUNNING: 'CANCELLED'}
  }],
  ['RunCompleted', {
    machine: 'RUN',
    target: 'COMPLETED',
    leaves: ['completedAt', 'artifacts'],
    next: {APPROVED: 'COMPLETED', PAUSED: 'COMPLETED', PENDING: 'COMPLETED', RUNNING: 'COMPLETED'}
  }],
  ['RunFailed', {
    machine: 'RUN',
    target: 'FAILED',
    leaves: ['completedAt', 'error'],
    next: {APPROVED: 'FAILED', PAUSED: 'FAILED', PENDING: 'FAILED', RUNNING: 'FAILED'}
  }],
  ['RunPaused', {machine: 'RUN', target: 'PAUSED', leaves: [], next: {RUNNING: 'PAUSED'}}],
  ['RunQueued', {
    machine: 'RUN',
    target: 'PENDING',
    leaves: [],
    next: {APPROVED: 'APPROVED', PAUSED: 'PAUSED', PENDING: 'PENDING', RUNNING: 'RUNNING'}
  }],
  ['RunResumed', {machine: 'RUN', target: 'RUNNING', leaves: [], next: {PAUSED: 'RUNNING'}}],
  ['RunStarted', {
    machine: 'RUN',
    target: 'RUNNING',
    leaves: ['startedAt', 'engineRunRef'],
    next: {APPROVED: 'RUNNING', PENDING: 'RUNNING'}
  }],
  ['StepCompleted', {
    machine: 'STEP',
    target: 'SUCCESS',
    leaves: ['completedAt', 'artifacts'],
    next: {PENDING: 'SUCCESS', RUNNING: 'SUCCESS'}
  }],
  ['StepFailed', {
    machine: 'STEP',
    target: 'FAILED',
    leaves: ['completedAt', 'artifacts', 'error'],
    next: {PENDING: 'FAILED', RUNNING: 'FAILED'}
  }],
  ['StepSkipped', {
    machine: 'STEP',
    target: 'SKIPPED',
    leaves: ['completedAt', 'artifacts', 'reason'],
    next: {PENDING: 'SKIPPED'}
  }],
  ['StepStarted', {
    machine: 'STEP',
    target: 'RUNNING',
    leaves: ['startedAt'],
    next: {FAILED: 'FAILED', PENDING: 'RUNNING', SUCCESS: 'SUCCESS'}
  }]
]);
// rules: end

const FIRST_STATUS = 'PENDING';

function fold(state, events) {
  const before = (state && state.snapshot) || {};
  const run = {
    status: before.status || FIRST_STATUS,
    startedAt: before.startedAt,
    completedAt: before.completedAt,
    engineRunRef: before.engineRunRef,
    error: before.error,
    artifacts: (state && state.runArtifacts) || []
  };
  // A Map keeps the place of a key that is set again: a step that starts afresh stays where it was.
  const steps = new Map((before.steps || []).map(step => [step.stepId, Object.assign({}, step)]));
  const refusals = [];
  let lastSeq = before.lastEventSeq || 0;
  let gap;
  let failure;

  for (const event of events || []) {
    if (event.runSeq <= lastSeq) {
      continue;
    }
    if (event.runSeq > lastSeq + 1) {
      gap = {lastSeq: lastSeq, nextSeq: event.runSeq};
      break;
    }
    // Signals and unknown types move the watermark, and nothing else.
    const effect = EVENT_EFFECTS.get(event.eventType);
    if (effect && effect.machine === 'STEP' && isAbsent(event.stepId)) {
      failure = event.eventType + ' names no step';
      break;
    }
    lastSeq = event.runSeq;
    const owner = effect && (effect.machine === 'RUN' ? run : attemptOf(event, steps));
    if (owner) {
      const status = effect.next[owner.status];
      if (status === undefined) {
        refusals.push(refusalOf(event, owner.status, effect.target));
      } else {
        owner.status = status;
        leaveBehind(event, effect, owner);
      }
    }
  }

  const isConsistent = before.consistency !== 'INCONSISTENT' && refusals.length === 0;
  return present({
    snapshot: snapshotOf(before, run, Array.from(steps.values()), lastSeq, isConsistent),
    runArtifacts: run.artifacts,
    refusals: refusals,
    gap: gap,
    failure: failure
  });
}

// The step's attempt that an event is about, begun if it is new; undefined for an attempt that a newer one has
// replaced: its events come late, which is no error.
function attemptOf(event, steps) {
  const known = steps.get(event.stepId);
  if (known && event.logicalAttemptId < known.logicalAttemptId) {
    return undefined;
  }
  if (known && event.logicalAttemptId === known.logicalAttemptId) {
    return known;
  }
  const begun = {
    stepId: event.stepId,
    status: FIRST_STATUS,
    logicalAttemptId: event.logicalAttemptId,
    engineAttemptId: 0,
    artifacts: []
  };
  steps.set(event.stepId, begun);
  return begun;
}

function leaveBehind(event, effect, owner) {
  if (event.engineAttemptId > owner.engineAttemptId) {
    owner.engineAttemptId = event.engineAttemptId;
  }
  for (const field of effect.leaves) {
    if (field === 'artifacts') {
      owner.artifacts = Array.isArray(event.artifactRefs) ? event.artifactRefs : [];
    } else if (field === 'completedAt') {
      owner.completedAt = event.emittedAt;
    } else if (field === 'startedAt') {
      // A start that arrives a second time, or after the end, does not replace the one that is known.
      owner.startedAt = isAbsent(owner.startedAt) ? event.emittedAt : owner.startedAt;
    } else {
      owner[field] = event[field];
    }
  }
}

function refusalOf(event, priorState, attemptedState) {
  return present({
    runSeq: event.runSeq,
    eventId: event.eventId,
    eventType: event.eventType,
    stepId: event.stepId,
    logicalAttemptId: event.logicalAttemptId,
    emittedAt: event.emittedAt,
    priorState: priorState,
    attemptedState: attemptedState
  });
}

function snapshotOf(before, run, steps, lastSeq, isConsistent) {
  return present({
    runId: before.runId,
    tenantId: before.tenantId,
    projectId: before.projectId,
    environmentId: before.environmentId,
    status: run.status,
    lastEventSeq: lastSeq,
    steps: steps.map(present),
    artifacts: artifactsOf(steps.concat(run)),
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    totalDurationMs: durationMs(run.startedAt, run.completedAt),
    failedSteps: steps.filter(step => step.status === 'FAILED').length,
    engineRunRef: run.engineRunRef,
    error: run.error,
    consistency: isConsistent ? 'CONSISTENT' : 'INCONSISTENT'
  });
}

function artifactsOf(owners) {
  const artifacts = [];
  for (const owner of owners) {
    for (const artifact of owner.artifacts) {
      artifacts.push(artifact);
    }
  }
  return artifacts;
}

// Whole milliseconds from one time to a later one, 0 to an earlier one. Microseconds are compared and not subtracted,
// because nine thousand years of them are more than a number counts exactly.
function durationMs(startedAt, completedAt) {
  if (isAbsent(startedAt) || isAbsent(completedAt)) {
    return undefined;
  }
  const borrowed = completedAt.slice(23, 26) < startedAt.slice(23, 26) ? 1 : 0;
  return Math.max(0, wholeMs(completedAt) - wholeMs(startedAt) - borrowed);
}

function wholeMs(time) {
  return Date.parse(time.slice(0, 23) + 'Z');
}

// The same object without absent values. What a producer nested inside a value is its own, nulls included.
function present(values) {
  const kept = {};
  for (const name of Object.keys(values)) {
    if (!isAbsent(values[name])) {
      kept[name] = values[name];
    }
  }
  return kept;
}

function isAbsent(value) {
  return value === undefined || value === null;
}

try {
  return fold(P_STATE, P_EVENTS);
} catch (error) {
  return Object.assign({}, P_STATE, {refusals: [], failure: String(error)});
}
$$;
