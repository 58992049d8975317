import { defineSolver, InvalidParameter, Unsupported, type Solver, type SolverProblem } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws, subjectsOf, type Subject } from '../../law/index.js';
import { solverLaws } from './index.js';
import { objectives, solvable } from './objectives.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Bug = Partial<Omit<Solver, 'kind'>>;
const steps = 40;
const norm = (x: Float64Array): number => Math.hypot(...x);

/**
 * Projected gradient descent with steps 1/L from the projected
 * start: each step contracts the distance by at least √(1 − λ/L).
 */
function descend(
  { domain, start, strongConvexity, smoothness, valueAndGradientInto }: SolverProblem,
  count = steps,
) {
  if (
    !(strongConvexity > 0 && strongConvexity < Infinity && smoothness >= strongConvexity) ||
    !start.every(Number.isFinite) ||
    start.length !== domain.dimension
  )
    throw new InvalidParameter('no problem');
  if (smoothness === Infinity) throw new Unsupported('not smooth');
  const gradient = new Float64Array(start.length);
  let x = domain.projectInto(new Float64Array(start.length), start);
  let distance = Infinity;
  for (let t = 0; t < count; t++) {
    valueAndGradientInto(gradient, x);
    if (!gradient.every(Number.isFinite)) return { point: x, distance };
    const next = domain.projectInto(
      new Float64Array(x.length),
      x.map((value, j) => value - gradient[j] / smoothness),
    );
    distance =
      (norm(next.map((value, j) => value - x[j])) + 1e-15 * (norm(next) + norm(gradient) / smoothness)) *
      (smoothness / strongConvexity);
    x = next;
  }
  return { point: x, distance };
}

const gradientDescent = {
  name: 'gradient-descent',
  summary: 'Steps of 1/L.',
  source: { id: 'test', item: 'definition' },
  params: z.strictObject({}),
  claims: [
    { property: 'feasible', statement: 'convex combinations and projections' },
    { property: 'typed-errors', statement: 'they are' },
  ],
  worstDistance: (
    _params: unknown,
    {
      strongConvexity,
      smoothness,
      startDistance,
    }: { readonly strongConvexity: number; readonly smoothness: number; readonly startDistance: number },
  ) =>
    2 *
    (smoothness / strongConvexity) *
    startDistance *
    (1 - strongConvexity / smoothness) ** ((steps - 1) / 2),
  solve: (_params: unknown, problem: SolverProblem) => descend(problem),
};

async function broken(bug: Bug, only?: string): Promise<ReadonlyMap<string, string>> {
  const reports = await runLaws(
    solverLaws,
    subjectsOf(defineSolver({ ...gradientDescent, ...bug } as never))[0] as Subject<'solver'>,
    lawsAlone(only),
  );
  return new Map(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}

describe('objectives', () => {
  it('have the declared minimiser and constants', () => {
    fc.assert(
      fc.property(objectives, objectives, (objective, other) => {
        const { problem, minimiser, resolution } = solvable(objective);
        const dimension = minimiser.length;
        const value = (x: Float64Array, out = new Float64Array(dimension)): number =>
          problem.valueAndGradientInto(out, x);
        const point = (shift: number): Float64Array =>
          problem.domain.projectInto(
            new Float64Array(dimension),
            Float64Array.from(
              { length: dimension },
              (_, j) => (other.start[(j + shift) % other.start.length] + shift) * objective.radius,
            ),
          );
        const [x, y, gx, gy] = [point(0), point(1), new Float64Array(dimension), new Float64Array(dimension)];
        const [fx, fy] = [value(x, gx), value(y, gy)];
        const size =
          problem.smoothness * (norm(x) + norm(y) + norm(minimiser) + objective.radius) ** 2 +
          1e3 * problem.smoothness * resolution ** 2;
        expect(fx).toBeGreaterThanOrEqual(value(minimiser) - 1e-12 * size);
        const step = y.map((v, j) => v - x[j]);
        const gap = fy - fx - gx.reduce((sum, g, j) => sum + g * step[j], 0);
        expect(gap).toBeGreaterThanOrEqual((problem.strongConvexity / 2) * norm(step) ** 2 - 1e-12 * size);
        expect(gap).toBeLessThanOrEqual((problem.smoothness / 2) * norm(step) ** 2 + 1e-12 * size);
      }),
    );
  });
});

describe('laws of solvers', () => {
  it('hold for gradient descent', async () => {
    expect(await broken({})).toEqual(new Map());
  });

  const bugs: readonly (readonly [string, Bug, string, RegExp])[] = [
    [
      'the length of the last step as certificate',
      {
        solve: (_params, problem) => {
          const found = descend(problem);
          return { ...found, distance: (found.distance * problem.strongConvexity) / problem.smoothness };
        },
      },
      'solver/certified-distance',
      /it certifies/u,
    ],
    [
      'a worstDistance for twice as many steps',
      {
        worstDistance: (params, promise) =>
          gradientDescent.worstDistance(params, promise) ** 2 /
          Math.max(1e-300, 2 * (promise.smoothness / promise.strongConvexity) * promise.startDistance) /
          50,
      },
      'solver/worst-distance',
      /worstDistance/u,
    ],
    [
      'a worstDistance that is NaN',
      { worstDistance: () => NaN },
      'solver/worst-distance',
      /worstDistance is NaN/u,
    ],
    [
      'a stop at the tolerance',
      {
        solve: (_params, problem, tolerance) => {
          for (let count = 1; ; count++) {
            const found = descend(problem, count);
            if (found.distance <= tolerance || count === steps) return found;
          }
        },
      },
      'solver/public-effort',
      /evaluations/u,
    ],
    [
      'a point outside the domain',
      {
        solve: (_params, problem) => {
          const found = descend(problem);
          return { ...found, point: found.point.map((x) => x * (1 + 1e-9) + 1e-9) };
        },
      },
      'solver/feasible',
      /not in the domain/u,
    ],
    [
      'evaluations at the unprojected start',
      {
        solve: (_params, problem) => {
          problem.valueAndGradientInto(new Float64Array(problem.start.length), problem.start);
          return descend(problem);
        },
      },
      'solver/feasible',
      /outside the domain/u,
    ],
    [
      'the start as working memory',
      {
        solve: (_params, problem) => {
          const found = descend(problem);
          problem.start.set(found.point);
          return found;
        },
      },
      'solver/deterministic',
      /changes the start/u,
    ],
    [
      'one array for all results',
      {
        solve: (_params, problem) => {
          const { point, distance } = descend(problem);
          const lent = memory.subarray(0, point.length);
          lent.set(point);
          return { point: lent, distance };
        },
      },
      'solver/deterministic',
      /changes the point/u,
    ],
    [
      'NaN for an answer',
      {
        solve: (_params, problem) => {
          const found = descend(problem);
          return { ...found, point: found.point.fill(NaN) };
        },
      },
      'solver/certified-distance',
      /finite numbers/u,
    ],
    [
      'a certificate from infinite gradients',
      {
        solve: (_params, problem) => {
          const found = descend(problem);
          return found.distance === Infinity ? { ...found, distance: 0 } : found;
        },
      },
      'solver/typed-errors',
      /it certifies 0/u,
    ],
    [
      'refusal of every objective',
      {
        solve: () => {
          throw new Unsupported('nothing');
        },
      },
      'solver/certified-distance',
      /refuses every objective/u,
    ],
  ];
  const memory = new Float64Array(64);
  it.each(bugs)('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug, law)).get(law)).toMatch(words);
  });
});
