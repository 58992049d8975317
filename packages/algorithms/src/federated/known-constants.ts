import type { Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { lackingConstants } from '../common/problem-facts.js';
import type { LossConstants } from './constants.js';

/** Constants of every record and of a bounded domain, or which of them are missing. Smoothness may be 0. */
export function knownConstants(problem: Problem, domain: Domain): LossConstants | string {
  const lacking = lackingConstants(problem, domain);
  if (lacking !== null) return lacking;
  const {
    lipschitz: { value: lipschitz },
    smoothness: { value: smoothness },
  } = problem.facts;
  if (!(lipschitz > 0)) return "the fact 'lipschitz' is not positive";
  return { lipschitz, smoothness, diameter: domain.diameter };
}
