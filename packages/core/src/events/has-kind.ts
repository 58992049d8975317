import type { CoreEventKind, PrivacyEvent } from './schema.js';

/** Whether an event is of a kind, or has a part of it at any depth. */
export const hasKind = (event: PrivacyEvent, kind: CoreEventKind): boolean => holds(event, kind);

const holds = (value: unknown, kind: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (('kind' in value && value.kind === kind) || Object.values(value).some((part) => holds(part, kind)));
