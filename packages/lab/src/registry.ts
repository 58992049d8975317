import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import type { EventKind, Registry } from '@lethe/core';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';

/** Every plugin that ships with Lethe. Add your own by concatenation. */
export const registry: Registry = [...mechanisms, ...losses, ...optimizers, ...accountants, ...lowerBounds];

/** The event kinds of a registry, which accountants need to know. */
export const eventKindsOf = (plugins: Registry): readonly EventKind[] => plugins.filter((plugin): plugin is EventKind => plugin.kind === 'event');
