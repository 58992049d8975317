import type { PrivacyEvent } from '@lethe/core';

/** Whether an event has a part that was released without noise. */
export const isUnprotected = (event: PrivacyEvent): boolean => holds(event);

const holds = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (('kind' in value && value.kind === 'core/unprotected') || Object.values(value).some(holds));
