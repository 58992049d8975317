import type { Claim } from '@lethe/core';

/**
 * Of factorisations whose norm for one participation and whose
 * variances do not take a step of work for each step of the stream.
 */
export const anyLength: Claim = {
  property: 'any-length',
  statement:
    'norms for one participation and variances are found in closed ' +
    'form, or level by level, for any number of steps',
};

/** Of every factorisation here. */
export const typedErrors: Claim = {
  property: 'typed-errors',
  statement: 'shapes, steps and participations that are not counts are refused',
};
