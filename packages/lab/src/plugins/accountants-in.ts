import type { Accountant, Registry } from '@lethe/core';

/** The accountants of a registry: those that ship, quick ones first, then those of plugins. */
export const accountantsIn = (registry: Registry): readonly Accountant[] =>
  registry.filter((plugin): plugin is Accountant => plugin.kind === 'accountant');
