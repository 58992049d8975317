import { hasKind, type PrivacyEvent } from '@lethe/core';

/** Whether an event has a part that was released without noise. */
export const isUnprotected = (event: PrivacyEvent): boolean => hasKind(event, 'core/unprotected');
