import type { Domain } from '@lethe/numerics';
import { acceleratedDescent } from './accelerated-descent.js';
import type { Descent, DescentOptions } from './descent.js';
import { newtonDescent } from './newton-descent.js';
import type { Objective } from './objective.js';

/** The descent that suits an objective: Newton steps where it has a Hessian, else accelerated ones. */
export function minimise(objective: Objective, domain: Domain, options: DescentOptions): Descent {
  const { hessian } = objective;
  return hessian === null
    ? acceleratedDescent(objective, domain, options)
    : newtonDescent({ ...objective, hessian }, domain, options);
}
