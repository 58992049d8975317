import { defineRegulariser, InvalidParameter } from '@lethe/core';
import { type Proximal } from '@lethe/numerics';
import * as z from 'zod';

/** `strength · Σ_j max(0, y_j)`. Say here which function yours is, and on which points it is finite. */
export const templateRegulariser = defineRegulariser({
  name: 'template-regulariser',
  summary: 'Strength times the sum of positive coordinates.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({ strength: z.number().positive() }),
  examples: [{ strength: 0.5 }],
  claims: [
    { property: 'optimal', statement: '(z − p)/η is a subgradient at p = prox(z), up to rounding' },
    {
      property: 'firmly-non-expansive',
      statement: '‖p − q‖² ≤ ⟨p − q, y − z⟩ for the proximal points p of y and q of z, up to rounding',
    },
    { property: 'convex', statement: 'the function is convex' },
    { property: 'separable', statement: 'coordinate(j, z_j, η) is entry j of the proximal point of z' },
    { property: 'in-place', statement: 'a point may be mapped in place; nothing else is changed or kept' },
    {
      property: 'refuses',
      statement:
        'points that are not finite or of another length, and steps that are not positive, ' +
        'are refused and nothing is written',
    },
  ],
  build({ strength }, dimension): Proximal {
    const requirePoint = (point: Float64Array): void => {
      if (point.length !== dimension || !point.every(Number.isFinite))
        throw new InvalidParameter(`a point must have ${dimension} finite coordinates`, { dimension });
    };
    const coordinate = (_index: number, value: number, eta: number): number =>
      value > eta * strength ? value - eta * strength : Math.min(value, 0);
    return {
      name: 'template-regulariser',
      value(y) {
        requirePoint(y);
        return y.reduce((sum, x) => sum + strength * Math.max(0, x), 0);
      },
      proxInto(out, point, eta) {
        requirePoint(point);
        if (out.length !== dimension)
          throw new InvalidParameter(`out has length ${out.length}; give ${dimension}`, { dimension });
        if (!(eta > 0 && eta < Infinity))
          throw new InvalidParameter(`the step is ${eta}; it must be positive and finite`, { eta });
        for (let j = 0; j < dimension; j++) out[j] = coordinate(j, point[j], eta);
        return out;
      },
      coordinate,
    };
  },
});
