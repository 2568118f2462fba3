-- What a batch of events breaks by itself: shapes and sizes, whatever the log holds.
-- depends: 0021.alerts

CREATE OR REPLACE FUNCTION CHECK_EVENTS(P_EVENTS VARIANT, P_LIMITS VARIANT)
COPY GRANTS
RETURNS VARIANT
LANGUAGE JAVASCRIPT
IMMUTABLE
COMMENT = 'The events of a batch up to the first faulty one, and its fault.'
AS
$$
// The event types with rules, the JSON type of each field (null: any), and what a producer is told about a rule.
// rules: begin (generated from the rows of PostgreSQL; make snowflake-rules)
const EVENT_TYPES = new Map([
  ['RunApproved', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunCancelled', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunCompleted', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunFailed', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunPaused', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunQueued', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunResumed', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['RunStarted', {stepRule: 'FORBIDDEN', isSignal: false}],
  ['SignalAccepted', {stepRule: 'OPTIONAL', isSignal: true}],
  ['SignalRejected', {stepRule: 'OPTIONAL', isSignal: true}],
  ['StepCompleted', {stepRule: 'REQUIRED', isSignal: false}],
  ['StepFailed', {stepRule: 'REQUIRED', isSignal: false}],
  ['StepSkipped', {stepRule: 'REQUIRED', isSignal: false}],
  ['StepStarted', {stepRule: 'REQUIRED', isSignal: false}]
]);
const EVENT_FIELDS = new Map([
  ['adapterVersion', 'string'],
  ['causedBySignalId', 'string'],
  ['emittedAt', 'string'],
  ['engineAttemptId', 'number'],
  ['engineRunRef', null],
  ['environmentId', 'string'],
  ['eventId', 'string'],
  ['eventType', 'string'],
  ['idempotencyKey', 'string'],
  ['logicalAttemptId', 'number'],
  ['parentEventId', 'string'],
  ['payload', null],
  ['planId', 'string'],
  ['planVersion', 'string'],
  ['projectId', 'string'],
  ['runId', 'string'],
  ['stepId', 'string'],
  ['tenantId', 'string']
]);
const EVENT_RULES = mapOf(['rule', 'code', 'field', 'showsValue', 'expected', 'hint'], [
  ['adapterVersion', 'RS001', 'adapterVersion', true,
    'a string of 1 to 255 characters without "|"',
    'Name the adapter\'s version, or leave it out.'],
  ['artifactRefs', 'RS001', 'payload.artifactRefs', false,
    'an array of objects with non-empty strings uri (no data: uri) and kind, optionally sha256 and '
      + 'expiresAt (strings) and sizeBytes (a number from 0), and no other key',
    'Send pointers to artifacts, never their content.'],
  ['authority.persistedAt', 'RS001', 'persistedAt', true,
    'no such key: the store assigns it',
    'Leave persistedAt out; the answer brings it.'],
  ['authority.runSeq', 'RS001', 'runSeq', true,
    'no such key: the store assigns it',
    'Leave runSeq out; the answer brings it.'],
  ['causedBySignalId', 'RS001', 'causedBySignalId', true,
    'a UUID',
    'Send the signal\'s UUID as 8-4-4-4-12 hex digits, or leave it out.'],
  ['emittedAt', 'RS001', 'emittedAt', true,
    'a finite time in the years 0001 to 9999, in JSON as RFC 3339 with T, Z or an offset and at most six '
      + 'fraction digits',
    'Send the producer\'s time, for example 2026-02-16T09:30:00.123456Z.'],
  ['engineAttemptId', 'RS001', 'engineAttemptId', true,
    'an integer from 1 to 2147483647',
    'Count attempts from 1; leave the field out where the runtime has no count.'],
  ['engineRunRef', 'RS001', 'engineRunRef', false,
    'a JSON object',
    'Wrap the reference in a JSON object, or leave it out.'],
  ['engineRunRefSize', 'RS005', 'engineRunRef', false,
    'at most %s octets of JSON text',
    'Keep only what names the run in the engine.'],
  ['environmentId', 'RS001', 'environmentId', true,
    'a string of 1 to 255 characters without "|"',
    'Name the environment that the run belongs to.'],
  ['event', 'RS001', 'event', false,
    'a JSON object',
    'Send one RunEventWrite as a JSON object.'],
  ['eventId', 'RS001', 'eventId', true,
    'a UUID v4',
    'Send a random (version 4) UUID, or leave it out and the store makes one.'],
  ['eventType', 'RS001', 'eventType', true,
    'a string of 1 to 255 characters without "|"',
    'Name the type of the event, for example StepCompleted.'],
  ['idempotencyKey', 'RS001', 'idempotencyKey', true,
    '64 hex digits',
    'Send a SHA-256 in hex, or leave the key out and the store computes it.'],
  ['logicalAttemptId', 'RS001', 'logicalAttemptId', true,
    'an integer from 1 to 2147483647',
    'Count attempts from 1; leave the field out for the first.'],
  ['parentEventId', 'RS001', 'parentEventId', true,
    'a UUID',
    'Send the parent event\'s UUID as 8-4-4-4-12 hex digits, or leave it out.'],
  ['payload', 'RS001', 'payload', false,
    'a JSON object',
    'Wrap the content in a JSON object, or leave the payload out.'],
  ['payloadSize', 'RS005', 'payload', false,
    'at most %s octets of JSON text',
    'Store the content elsewhere and send a pointer in artifactRefs.'],
  ['planId', 'RS001', 'planId', true,
    'a string of 1 to 255 characters without "|"',
    'Name the plan that the run follows.'],
  ['planVersion', 'RS001', 'planVersion', true,
    'a string of 1 to 255 characters without "|"',
    'Name the version of the plan, as a string.'],
  ['projectId', 'RS001', 'projectId', true,
    'a string of 1 to 255 characters without "|"',
    'Name the project that the run belongs to.'],
  ['runId', 'RS001', 'runId', true,
    'a string of 1 to 255 characters without "|"',
    'Give the run a non-empty id of at most 255 characters.'],
  ['signalSize', 'RS005', 'payload', false,
    'at most %s octets of JSON text in a signal',
    'Store the content elsewhere and send a pointer in artifactRefs.'],
  ['stepForbidden', 'RS001', 'stepId', true,
    'no step id, because the event is about the run',
    'Leave the step out, or use an event type that is about a step.'],
  ['stepId', 'RS001', 'stepId', true,
    'a string of 1 to 255 characters without "|", other than RUN',
    'Rename the step; RUN stands for the run itself in idempotency keys.'],
  ['stepRequired', 'RS001', 'stepId', true,
    'a step id, because the event is about a step',
    'Name the step, or use an event type that is about the run.'],
  ['tenantId', 'RS001', 'tenantId', true,
    'a string of 1 to 255 characters without "|"',
    'Name the tenant that the run belongs to.'],
  ['unknownKey', 'RS001', null, false,
    'a field of RunEventWrite',
    'Remove the key, or put its content into the payload.']
]);
// rules: end

const UNREADABLE_TEXT = {
  code: 'RS001',
  expected: 'text without U+0000 and without half a surrogate pair',
  hint: 'Take the character out: a store on PostgreSQL could not keep it.',
  showsValue: false
};
const WITHOUT_RULES = {stepRule: 'OPTIONAL', isSignal: false};
const ARTIFACT_KEYS = ['uri', 'kind', 'sha256', 'sizeBytes', 'expiresAt'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

// The rules in the order in which they are tried: whether an event that was read breaks them.
const CHECKS = [
  ['causedBySignalId', event => isNot(UUID, event.causedBySignalId)],
  ['parentEventId', event => isNot(UUID, event.parentEventId)],
  ['runId', event => !isIdentifier(event.runId)],
  ['eventType', event => !isIdentifier(event.eventType)],
  ['emittedAt', event => event.emittedAt === undefined],
  ['tenantId', event => !isIdentifier(event.tenantId)],
  ['projectId', event => !isIdentifier(event.projectId)],
  ['environmentId', event => !isIdentifier(event.environmentId)],
  ['planId', event => !isIdentifier(event.planId)],
  ['planVersion', event => !isIdentifier(event.planVersion)],
  ['engineAttemptId', event => !isAttempt(event.engineAttemptId)],
  ['logicalAttemptId', event => !isAttempt(event.logicalAttemptId)],
  ['idempotencyKey', event => isNot(/^[0-9a-f]{64}$/, event.idempotencyKey)],
  ['eventId', event => isNot(UUID_V4, event.eventId)],
  ['stepRequired', event => event.stepId === undefined && event.type.stepRule === 'REQUIRED'],
  ['stepId', event => event.stepId !== undefined && (!isIdentifier(event.stepId) || event.stepId === 'RUN')],
  ['stepForbidden', event => event.stepId !== undefined && event.type.stepRule === 'FORBIDDEN'],
  ['payload', event => event.payload !== undefined && typeOf(event.payload) !== 'object'],
  ['signalSize', (event, limits) => event.type.isSignal && octets(event.payload) > limits.maxSignalBytes],
  ['payloadSize', (event, limits) => octets(event.payload) > limits.maxPayloadBytes],
  ['artifactRefs', event => event.payload !== undefined && !artifactRefsArePointers(event.payload)],
  ['adapterVersion', event => event.adapterVersion !== undefined && !isIdentifier(event.adapterVersion)],
  ['engineRunRef', event => event.engineRunRef !== undefined && typeOf(event.engineRunRef) !== 'object'],
  ['engineRunRefSize', (event, limits) => octets(event.engineRunRef) > limits.maxPayloadBytes]
];

function checkEvents(sent, limits) {
  if (typeOf(sent) !== 'array') {
    return {
      events: [],
      fault: {
        code: 'RS001',
        field: 'events',
        expected: 'a JSON array',
        hint: 'Send the events as one JSON array; an empty one is fine.',
        text: 'events is refused: expected a JSON array'
      }
    };
  }
  const events = [];
  const countOfRun = new Map();
  for (let index = 0; index < sent.length; index += 1) {
    const shapeFault = faultOfShape(sent[index]);
    const event = shapeFault ? undefined : read(sent[index]);
    const fault = shapeFault || faultOfRules(event, sent[index], limits);
    if (fault) {
      return {events: events, fault: Object.assign({index: index}, fault)};
    }
    const nth = (countOfRun.get(event.runId) || 0) + 1;
    countOfRun.set(event.runId, nth);
    events.push(answerOf(event, index, nth));
  }
  return {events: events};
}

// The fault of what cannot be read as an event at all.
function faultOfShape(sent) {
  if (typeOf(sent) !== 'object') {
    return faultOf(EVENT_RULES.get('event'), 'event');
  }
  const keys = Object.keys(sent).sort(byCodePoint);
  const unreadable = keys.find(key => isUnreadable(key) || isUnreadable(sent[key]));
  if (unreadable !== undefined) {
    return faultOf(UNREADABLE_TEXT, isUnreadable(unreadable) ? 'event' : unreadable);
  }
  const unknown = keys.find(key => !EVENT_FIELDS.has(key));
  if (unknown !== undefined) {
    const rule = EVENT_RULES.get('authority.' + unknown) || EVENT_RULES.get('unknownKey');
    return faultOf(rule, unknown, shownText(sent[unknown]));
  }
  const mistyped = keys.find(key => ![EVENT_FIELDS.get(key) || typeOf(sent[key]), 'null'].includes(typeOf(sent[key])));
  return mistyped && faultOf(EVENT_RULES.get(mistyped), mistyped, shownText(sent[mistyped]));
}

// The fault of an event for the first rule that it breaks.
function faultOfRules(event, sent, limits) {
  const broken = CHECKS.find(check => check[1](event, limits));
  if (!broken) {
    return undefined;
  }
  const rule = EVENT_RULES.get(broken[0]);
  const limit = broken[0] === 'signalSize' ? limits.maxSignalBytes : limits.maxPayloadBytes;
  return faultOf(rule, rule.field, shownText(sent[rule.field]), limit);
}

function faultOf(rule, wholeField, value, limit) {
  const field = firstCharacters(wholeField);
  const expected = rule.expected.replace('%s', limit);
  const isShown = rule.showsValue && value !== undefined;
  const fault = {code: rule.code, field: field, expected: expected, hint: rule.hint};
  if (isShown) {
    fault.value = value;
  }
  fault.text = field + (isShown ? ' "' + value + '"' : '')
    + (rule.showsValue && !isShown ? ' is missing' : ' is refused') + ': expected ' + expected;
  return fault;
}

// The fields of an event, absent ones undefined, defaults applied, hex in lower case, emittedAt in UTC.
function read(sent) {
  const event = {};
  EVENT_FIELDS.forEach((type, field) => {
    const isGiven = Object.prototype.hasOwnProperty.call(sent, field) && typeOf(sent[field]) !== 'null';
    event[field] = isGiven ? sent[field] : undefined;
  });
  ['engineAttemptId', 'logicalAttemptId'].forEach(field => {
    event[field] = event[field] === undefined ? 1 : event[field];
  });
  ['idempotencyKey', 'eventId', 'causedBySignalId', 'parentEventId'].forEach(field => {
    event[field] = event[field] === undefined ? undefined : event[field].toLowerCase();
  });
  event.emittedAt = event.emittedAt === undefined ? undefined : utcText(event.emittedAt);
  event.type = EVENT_TYPES.get(event.eventType) || WITHOUT_RULES;
  return event;
}

function answerOf(event, index, nth) {
  const answer = {index: index, nth: nth, isSignal: event.type.isSignal};
  EVENT_FIELDS.forEach((type, field) => {
    if (event[field] !== undefined && field !== 'payload' && field !== 'engineRunRef') {
      answer[field] = event[field];
    }
  });
  return answer;
}

// The same instant in UTC with six fraction digits, as UTC_TEXT writes it; undefined for text that names no instant, or
// one outside the years 0001 to 9999.
function utcText(text) {
  const parts = INSTANT.exec(text);
  if (!parts || parts[1] === '0000') {
    return undefined;
  }
  const numbers = parts.slice(1, 7).map(Number);
  const local = new Date(0);
  local.setUTCFullYear(numbers[0], numbers[1] - 1, numbers[2]);
  local.setUTCHours(numbers[3], numbers[4], numbers[5]);
  // A day or an hour that does not exist was carried over into the next.
  if (local.toISOString().slice(0, 19) !== text.slice(0, 19)) {
    return undefined;
  }
  const offsetMinutes = parts[8] ? Number(parts[8] + '1') * (Number(parts[9]) * 60 + Number(parts[10])) : 0;
  const utc = new Date(local.getTime() - offsetMinutes * 60000);
  const year = utc.getUTCFullYear();
  return year < 1 || year > 9999 ? undefined : utc.toISOString().slice(0, 20) + (parts[7] || '').padEnd(6, '0') + 'Z';
}

function artifactRefsArePointers(payload) {
  if (!Object.prototype.hasOwnProperty.call(payload, 'artifactRefs')) {
    return true;
  }
  return Array.isArray(payload.artifactRefs) && payload.artifactRefs.every(isPointer);
}

function isPointer(artifact) {
  return typeOf(artifact) === 'object'
    && Object.keys(artifact).every(key => ARTIFACT_KEYS.includes(key))
    && isFilled(artifact.uri)
    && !/^[\u0001-\u0020]*data:/i.test(artifact.uri)
    && isFilled(artifact.kind)
    && (artifact.sha256 === undefined || typeOf(artifact.sha256) === 'string')
    && (artifact.sizeBytes === undefined || (typeOf(artifact.sizeBytes) === 'number' && artifact.sizeBytes >= 0))
    && (artifact.expiresAt === undefined || typeOf(artifact.expiresAt) === 'string');
}

function isFilled(value) {
  return typeOf(value) === 'string' && value !== '';
}

function isIdentifier(value) {
  return isFilled(value) && !value.includes('|') && (value.length <= 255 || Array.from(value).length <= 255);
}

function isAttempt(value) {
  return Number.isInteger(value) && value >= 1 && value <= 2147483647;
}

function isNot(pattern, value) {
  return value !== undefined && !pattern.test(value);
}

// Whether PostgreSQL's JSON parser would stumble over some text in a value.
function isUnreadable(value) {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeOf(next) === 'string' && /[\u0000\ud800-\udfff]/u.test(next)) {
      return true;
    }
    if (typeOf(next) === 'array' || typeOf(next) === 'object') {
      Object.keys(next).forEach(key => pending.push(key, next[key]));
    }
  }
  return false;
}

// The size of a value as PostgreSQL measures it; 0 for an absent one.
function octets(value) {
  let count = 0;
  if (value !== undefined) {
    for (const piece of jsonbText(value)) {
      count += utf8Octets(piece);
    }
  }
  return count;
}

function utf8Octets(text) {
  let count = 0;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    const isHalfOfFour = unit >= 0xd800 && unit <= 0xdfff;
    count += unit < 0x80 ? 1 : unit < 0x800 || isHalfOfFour ? 2 : 3;
  }
  return count;
}

// A value as an error shows it; undefined for null.
function shownText(value) {
  if (typeOf(value) === 'null') {
    return undefined;
  }
  if (typeOf(value) === 'string') {
    return firstCharacters(value);
  }
  let text = '';
  for (const piece of jsonbText(value)) {
    text += piece;
    if (text.length > 200) {
      break;
    }
  }
  return firstCharacters(text);
}

function firstCharacters(text) {
  return Array.from(text.slice(0, 200)).slice(0, 100).join('');
}

// The text that PostgreSQL gives a value of type jsonb, in pieces. A stack of its own, because a value can be nested
// deeper than calls can.
function* jsonbText(value) {
  const pending = [{value: value}];
  while (pending.length > 0) {
    const next = pending.pop();
    const type = next.text === undefined ? typeOf(next.value) : 'text';
    if (type === 'text') {
      yield next.text;
    } else if (type === 'array') {
      yield '[';
      pending.push({text: ']'});
      for (let place = next.value.length - 1; place >= 0; place -= 1) {
        pending.push({value: next.value[place]}, {text: place > 0 ? ', ' : ''});
      }
    } else if (type === 'object') {
      yield '{';
      pending.push({text: '}'});
      const keys = Object.keys(next.value).sort(byLength);
      for (let place = keys.length - 1; place >= 0; place -= 1) {
        const separator = place > 0 ? ', ' : '';
        pending.push({value: next.value[keys[place]]}, {text: separator + JSON.stringify(keys[place]) + ': '});
      }
    } else {
      yield type === 'null' ? 'null' : type === 'number' ? numberText(next.value) : JSON.stringify(next.value);
    }
  }
}

// A number without an exponent.
function numberText(number) {
  const parts = String(Math.abs(number)).split('e');
  const sign = number < 0 ? '-' : '';
  if (parts.length === 1) {
    return sign + parts[0];
  }
  const digits = parts[0].split('.');
  const point = digits[0].length + Number(parts[1]);
  const all = digits.join('');
  return sign + (point > 0 ? all.padEnd(point, '0') : '0.' + '0'.repeat(-point) + all);
}

// The order of jsonb's keys.
function byLength(one, other) {
  return utf8Octets(one) - utf8Octets(other) || byCodePoint(one, other);
}

function byCodePoint(one, other) {
  let place = 0;
  while (place < one.length && one[place] === other[place]) {
    place += 1;
  }
  return (one.codePointAt(place) || 0) - (other.codePointAt(place) || 0);
}

// The rows as objects with these columns, by their first one.
function mapOf(columns, rows) {
  const objects = rows.map(row => columns.reduce((object, column, nth) => {
    object[column] = row[nth];
    return object;
  }, {}));
  return new Map(objects.map(object => [object[columns[0]], object]));
}

function typeOf(value) {
  if (value === undefined || value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

return checkEvents(P_EVENTS, P_LIMITS);
$$;
