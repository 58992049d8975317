import { domainAt, InvalidParameter, Unsupported } from '@lethe/core';
import { type Domain } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { boxDomain } from './box.js';
import { domains } from './index.js';
import { intersectionDomain } from './intersection.js';
import { l1BallDomain } from './l1-ball.js';
import { l2BallDomain } from './l2-ball.js';
import { simplexDomain } from './simplex.js';
import { wholeSpaceDomain } from './whole-space.js';

const dimension = 3;
const centre = [1, -2, 0.5];
const sets: readonly (readonly [string, Domain])[] = [
  ['whole-space', wholeSpaceDomain.build({}, dimension, domains)],
  ['l2-ball', l2BallDomain.build({ radius: 2, centre }, dimension, domains)],
  ['l1-ball', l1BallDomain.build({ radius: 2 }, dimension, domains)],
  ['box', boxDomain.build({ lower: [-1, 0, -3], upper: 2 }, dimension, domains)],
  ['simplex', simplexDomain.build({ total: 3 }, dimension, domains)],
  [
    'intersection',
    intersectionDomain.build(
      { domain: boxDomain({ lower: 0, upper: 2 }), ball: { radius: 2, centre } },
      dimension,
      domains,
    ),
  ],
];

describe.each(sets)('domain %s', (_name, domain) => {
  const project = (point: Float64Array): Float64Array =>
    domain.projectInto(new Float64Array(dimension), point);
  const points = vectorOf(dimension, -2, 2);

  it('projects to the nearest point of the set, and there only once', () => {
    fc.assert(
      fc.property(points, points, (x, other) => {
        const nearest = project(x);
        const member = project(other);
        expect(domain.contains(nearest)).toBe(true);
        expect(project(nearest)).toEqual(nearest);
        expect(norm(minus(x, nearest))).toBeLessThanOrEqual(norm(minus(x, member)) * (1 + 1e-9) + 1e-9);
        expect(norm(minus(nearest, member))).toBeLessThanOrEqual(norm(minus(x, other)) * (1 + 1e-9) + 1e-9);
        expect(norm(minus(nearest, member))).toBeLessThanOrEqual(domain.diameter * (1 + 1e-12));
      }),
    );
  });
});

describe('domain parameters', () => {
  it('nest: an intersection of an intersection is one', () => {
    const inner = intersectionDomain({ domain: boxDomain({ lower: 0, upper: 2 }), ball: { radius: 2 } });
    expect(inner.params).toEqual({
      domain: { kind: 'domain', name: 'box', params: { lower: 0, upper: 2 } },
      ball: { radius: 2 },
    });
    const domain = intersectionDomain.build(
      intersectionDomain.params.parse({ domain: inner, ball: { radius: 1, centre: [2, 0, 0] } }),
      dimension,
      domains,
    );
    expect(domain.projectInto(new Float64Array(dimension), Float64Array.of(9, 0, 0))).toEqual(
      Float64Array.of(2, 0, 0),
    );
  });

  it('make references with defaults filled in', () => {
    expect(simplexDomain({})).toEqual({ kind: 'domain', name: 'simplex', params: { total: 1 } });
    expect(l2BallDomain({ radius: 1 })).toEqual({ kind: 'domain', name: 'l2-ball', params: { radius: 1 } });
  });

  it('are those of a registry', () => {
    for (const [ref, reach] of [
      [wholeSpaceDomain({}), Infinity],
      [l1BallDomain({ radius: 2 }), 4],
      [boxDomain({ lower: 0, upper: 1 }), Math.sqrt(3)],
    ] as const) {
      expect(domainAt(domains, ref, dimension).diameter).toBeCloseTo(reach, 12);
    }
  });

  it('are refused when they describe no set', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => l2BallDomain({ radius: bad })).toThrow(InvalidParameter);
        expect(() => l1BallDomain({ radius: bad })).toThrow(InvalidParameter);
        expect(() => simplexDomain({ total: bad })).toThrow(InvalidParameter);
      }),
    );
    expect(() => boxDomain.build({ lower: 1, upper: 0 }, dimension, domains)).toThrow(InvalidParameter);
    expect(() => boxDomain.build({ lower: [0, 0], upper: 1 }, dimension, domains)).toThrow(InvalidParameter);
    expect(() => wholeSpaceDomain.build({}, 0, domains)).toThrow(InvalidParameter);
    expect(() =>
      intersectionDomain.build(
        { domain: { kind: 'domain', name: 'torus', params: {} }, ball: { radius: 1 } },
        dimension,
        domains,
      ),
    ).toThrow(Unsupported);
    expect(() =>
      intersectionDomain.build(
        { domain: boxDomain({ lower: 5, upper: 6 }), ball: { radius: 1 } },
        dimension,
        domains,
      ),
    ).toThrow(InvalidParameter);
  });
});
