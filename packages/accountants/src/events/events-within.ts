import type { CoreEvent, PrivacyEvent } from '@lethe/core';

/** The event and all nested events. Events inside a plugin's kind are not visited. */
export function* eventsWithin(event: PrivacyEvent): Generator<PrivacyEvent> {
  yield event;
  for (const part of parts(event as CoreEvent)) yield* eventsWithin(part);
}

function parts(event: CoreEvent): readonly PrivacyEvent[] {
  switch (event.kind) {
    case 'core/compose':
      return event.parts.map((part) => part.event);
    case 'core/parallel':
      return event.parts;
    case 'core/sampled':
    case 'core/failing':
    case 'core/group':
      return [event.event];
    case 'core/filtered':
      return [event.limit];
    case 'core/selection':
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection':
      return [event.base];
    default:
      return [];
  }
}
