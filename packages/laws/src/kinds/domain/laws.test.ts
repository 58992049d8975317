import { box, intersectBall, l2Ball, simplex, wholeSpace, type Domain } from '@lethe/numerics';
import { defineDomain } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws, subjectsOf, type Subject } from '../../law/index.js';
import { domainLaws } from './index.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Build = (dimension: number) => Domain;

async function broken(build: Build, claims: readonly string[] = []): Promise<ReadonlyMap<string, string>> {
  const plugin = defineDomain({
    name: 'set',
    summary: 'A set.',
    source: { id: 'test', item: 'definition' },
    params: z.strictObject({}),
    claims: claims.map((property) => ({ property, statement: property })),
    build: (_params, dimension) => build(dimension),
  });
  const reports = await runLaws(domainLaws, subjectsOf(plugin)[0] as Subject<'domain'>, {
    effort: 0.25,
    repeats: false,
  });
  return new Map(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}

const ball: Build = (dimension) => l2Ball({ dimension, radius: 2 });
const cube: Build = (dimension) =>
  box({ lower: new Float64Array(dimension).fill(-1), upper: new Float64Array(dimension).fill(3) });
const changed =
  (build: Build, change: (domain: Domain) => Partial<Domain>): Build =>
  (dimension) => {
    const domain = build(dimension);
    return { ...domain, ...change(domain) };
  };
/** A domain with another projection for points outside. */
const sending = (build: Build, to: (out: Float64Array, point: Float64Array, domain: Domain) => void): Build =>
  changed(build, (domain) => ({
    projectInto(out, point) {
      const nearest = domain.projectInto(new Float64Array(domain.dimension), point);
      domain.projectInto(out.slice(), point);
      if (domain.contains(point)) out.set(nearest);
      else to(out, point.slice(), domain);
      return out;
    },
  }));

describe('laws of domains', () => {
  it.each<[string, Build, readonly string[]]>([
    ['a ball', ball, ['diameter-attained']],
    ['a box', cube, ['diameter-attained']],
    ['a simplex', (dimension) => simplex({ dimension, total: 3 }), ['diameter-attained']],
    ['the whole space', wholeSpace, ['diameter-attained']],
    [
      'an intersection',
      (dimension) => intersectBall(cube(dimension), { centre: new Float64Array(dimension), radius: 1.5 }),
      [],
    ],
  ])('hold for %s', async (_name, build, claims) => {
    expect(await broken(build, claims)).toEqual(new Map());
  });

  const bugs: readonly (readonly [string, Build, string, RegExp])[] = [
    [
      'a projection to the centre',
      sending(ball, (out, _point, { centre }) => {
        out.set(centre);
      }),
      'domain/nearest',
      /lies on x's side/u,
    ],
    [
      'a nearest point in the maximum norm that is the nearest in ℓ2',
      changed(ball, (domain) => ({ nearestInMaxNormInto: domain.projectInto })),
      'domain/nearest-in-max-norm',
      /is nearer in the maximum norm/u,
    ],
    ['a reach of half the ball', changed(ball, () => ({ reach: 1 })), 'domain/reach', /from the centre/u],
    [
      'a discontinuous projection',
      sending(cube, (out, point) => {
        out.set(
          point.map((x) => {
            if (x > 3) return -1;
            return x < -1 ? 3 : x;
          }),
        );
      }),
      'domain/non-expansive',
      /farther apart/u,
    ],
    [
      'a projection slightly outside the set',
      sending(ball, (out, point, domain) => {
        domain.projectInto(out, point);
        out.forEach((x, j) => {
          out[j] = x * (1 + 1e-12);
        });
      }),
      'domain/idempotent',
      /is not in the set/u,
    ],
    [
      'a projection that moves members',
      changed(ball, (domain) => ({
        projectInto: (out, point) => {
          domain.projectInto(out, point);
          out.forEach((x, j) => {
            out[j] = x * (1 - 2 ** -50);
          });
          return out;
        },
      })),
      'domain/idempotent',
      /is moved|moves it/u,
    ],
    [
      'a set with a hole',
      changed(cube, (domain) => ({
        contains: (point, tolerance) => domain.contains(point, tolerance) && Math.abs(point[0] - 1) > 0.5,
        centre: domain.centre.map(() => 2),
        projectInto: (out, point) => {
          domain.projectInto(out, point);
          if (Math.abs(out[0] - 1) <= 0.5) out[0] = out[0] > 1 ? 1.51 : 0.49;
          return out;
        },
      })),
      'domain/convex',
      /between two members/u,
    ],
    [
      'a centre outside',
      changed(ball, ({ centre }) => ({ centre: centre.map(() => 9) })),
      'domain/idempotent',
      /its own centre/u,
    ],
    [
      'a tolerance that is not monotone',
      changed(ball, (domain) => ({
        contains: (point, tolerance = 0) => domain.contains(point, tolerance < 0.5 ? tolerance : -tolerance),
      })),
      'domain/tolerance',
      /tolerance/u,
    ],
    [
      'NaN accepted by contains',
      changed(ball, (domain) => ({
        contains: (point, tolerance) =>
          !(Math.hypot(...point) > 2 + (tolerance ?? 0)) && point.length === domain.dimension,
      })),
      'domain/idempotent',
      /coordinate NaN/u,
    ],
    [
      'a diameter that is too small',
      changed(cube, ({ diameter }) => ({ diameter: 0.97 * diameter })),
      'domain/diameter',
      /members are/u,
    ],
    [
      'results in a new array',
      changed(ball, (domain) => ({ projectInto: (out, point) => domain.projectInto(out, point).slice() })),
      'domain/in-place',
      /does not return the array/u,
    ],
    [
      'a point changed by its projection',
      changed(ball, (domain) => ({
        projectInto(out, point) {
          const given = point.slice();
          domain.projectInto(out, point);
          if (out !== point && !domain.contains(given)) point.fill(0);
          return out;
        },
      })),
      'domain/in-place',
      /changes the point/u,
    ],
    [
      'untyped errors',
      changed(ball, (domain) => ({
        projectInto(out, point) {
          if (point.some(Number.isNaN)) throw new TypeError('NaN');
          return domain.projectInto(out, point);
        },
      })),
      'domain/refuses',
      /it throws TypeError/u,
    ],
    [
      'output written before the refusal',
      changed(ball, (domain) => ({
        projectInto(out, point) {
          if (out !== point) out[0] = 0;
          return domain.projectInto(out, point);
        },
      })),
      'domain/refuses',
      /written to/u,
    ],
  ];
  it.each(bugs)('find %s', async (_name, build, law, words) => {
    expect((await broken(build)).get(law)).toMatch(words);
  });

  it('find a diameter with a false claim to be attained', async () => {
    expect(
      (
        await broken(
          changed(ball, ({ diameter }) => ({ diameter: 1.05 * diameter })),
          ['diameter-attained'],
        )
      ).get('domain/diameter-attained'),
    ).toMatch(/claimed to be attained/u);
  });
});
