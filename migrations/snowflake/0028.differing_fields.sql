-- The fields in which a stored event and a later one with the same key differ, in camelCase; empty when they agree.
-- depends: 0027.idempotency_key

CREATE OR REPLACE FUNCTION DIFFERING_FIELDS(P_STORED VARIANT, P_SENT VARIANT)
COPY GRANTS
RETURNS ARRAY
LANGUAGE JAVASCRIPT
IMMUTABLE
COMMENT = 'The fields in which two events with the same key differ.'
AS
$$
function differingFields(stored, sent) {
  const differs = {
    eventType: !areEqual(stored.eventType, sent.eventType),
    stepId: !areEqual(stored.stepId, sent.stepId),
    payload: !areEqual(stored.payload, sent.payload),
    causedBySignalId: !areEqual(lowerCase(stored.causedBySignalId), lowerCase(sent.causedBySignalId))
  };
  return Object.keys(differs).filter(field => differs[field]);
}

// Whether two JSON values are equal. A stack of its own, because a payload can be nested deeper than calls can.
function areEqual(first, second) {
  const pending = [[first, second]];
  while (pending.length > 0) {
    const pair = pending.pop();
    const one = pair[0];
    const other = pair[1];
    if (typeOf(one) !== typeOf(other)) {
      return false;
    }
    if (typeOf(one) === 'array' || typeOf(one) === 'object') {
      const keys = Object.keys(one);
      if (keys.length !== Object.keys(other).length || !keys.every(key => hasOwn(other, key))) {
        return false;
      }
      keys.forEach(key => pending.push([one[key], other[key]]));
    } else if (typeOf(one) !== 'null' && one !== other) {
      return false;
    }
  }
  return true;
}

function typeOf(value) {
  if (value === undefined || value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

function hasOwn(value, key) {
  return Object.prototype.hasOwnProperty.call(value, key);
}

function lowerCase(value) {
  return typeOf(value) === 'string' ? value.toLowerCase() : value;
}

return differingFields(P_STORED, P_SENT);
$$;
