import { domainAt, IncompatiblePlugins, InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { domains } from '../domains/index.js';
import { domainClip } from './domain-clip.js';
import { boundedDomain } from './domain-extent.js';
import { l2Clip } from './l2-clip.js';

type Reference = Parameters<typeof domainAt>[1];
const ofDomain = (domain: Reference, dimension: number): ReturnType<typeof domainClip.params.parse> =>
  domainClip.params.parse({ domain, dimension });
const ball = (radius: number, ...centre: readonly number[]): Reference => ({
  name: 'l2-ball',
  params: centre.length === 0 ? { radius } : { radius, centre },
});
const cross = (radius: number, ...centre: readonly number[]): Reference => ({
  name: 'l1-ball',
  params: centre.length === 0 ? { radius } : { radius, centre },
});
const box = (lower: number | readonly number[], upper: number | readonly number[]): Reference => ({
  name: 'box',
  params: { lower, upper },
});
const cut = (domain: Reference, radius: number): Reference => ({
  name: 'intersection',
  params: { domain, ball: { radius } },
});

describe('domainClip', () => {
  it('is the projection of the domain', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(ball(1, 0.5, -2, 0), cross(2), box(-1, 3), { name: 'simplex' }, cut(box(-1, 2), 1.5)),
        vectorOf(3, -3, 3),
        (domain, z) => {
          const clipped = z.slice();
          domainClip.clipInPlace(ofDomain(domain, 3), clipped);
          const projected = domainAt(domains, domain, 3).projectInto(new Float64Array(3), z);
          expect(norm(minus(clipped, projected))).toBeLessThanOrEqual(1e-14 * norm(projected));
        },
      ),
    );
  });

  it.each<readonly [string, Reference, number, number, number, number]>([
    // domain, dimension, farthest point, inner radius (minus the distance from 0), circumradius
    ['a ball', ball(2), 3, 2, 2, 2],
    ['a ball with 0 off its centre', ball(2, 0, 1.5), 2, 3.5, 0.5, 2],
    ['a ball without 0', ball(1, 3, 4), 2, 6, -4, 1],
    ['a cross-polytope', cross(2), 4, 2, 1, 2],
    ['one off its centre', cross(5, 1, 2, 0), 3, Math.sqrt(50), 2 / Math.sqrt(3), 5],
    ['one without 0', cross(1, 3, 0), 2, 4, -2, 1],
    ['a cube', box(-1, 1), 4, 2, 1, 2],
    ['a box', box([-1, -3], [2, 0.5]), 2, Math.sqrt(13), 0.5, Math.hypot(1.5, 1.75)],
    ['a box without 0', box([3, 4], [3, 4]), 2, 5, -5, 0],
    ['an orthant of a cube', box(0, 1), 4, 2, 0, 1],
    ['the simplex', { name: 'simplex', params: { total: 2 } }, 4, 2, -1, 2 * Math.sqrt(3 / 4)],
    ['a cut cube', cut(box(-1, 3), 2), 3, 2, 1, 2],
    ['a cut box without 0', cut(box([1, -1], [9, 1]), 2), 2, 2, -1, 2],
  ])('knows the lengths of %s', (_name, domain, dimension, farthest, inner, circumradius) => {
    const extent = boundedDomain(domain, dimension);
    expect(extent.farthest).toBeCloseTo(farthest, 12);
    expect(extent.inner).toBeCloseTo(inner, 11);
    expect(extent.circumradius).toBeCloseTo(circumradius, 12);
    expect(extent.farthest).toBeGreaterThanOrEqual(farthest * (1 - 1e-15));
    expect(extent.inner).toBeLessThanOrEqual(inner + 1e-15);
    expect(domainClip.radius(ofDomain(domain, dimension))).toBe(extent.farthest);
  });

  it('finds no point beyond its lengths, and some near them', () => {
    const random = seededRandom('extent');
    for (const domain of [
      ball(1, 2, -1, 0.5),
      cross(3, 0.5, -1, 0),
      box([-1, -4, 2], [0.5, 1, 3]),
      { name: 'simplex' },
      cross(1, 4, 0, 0),
    ] as readonly Reference[]) {
      const { domain: set, farthest, inner, circumradius } = boundedDomain(domain, 3);
      const centre = set.centre;
      let [most, least, widest] = [0, Infinity, 0];
      for (let i = 0; i < 3_000; i++) {
        const direction = random.gaussianInto(new Float64Array(3));
        const size = norm(direction);
        const far = set.projectInto(
          new Float64Array(3),
          direction.map((x) => (x / size) * 1e4),
        );
        most = Math.max(most, norm(far));
        widest = Math.max(widest, norm(minus(far, centre)));
        // The support function bounds the distance of the boundary
        // from 0, and that of the set from 0 with the sign turned.
        least = Math.min(
          least,
          far.reduce((sum, x, j) => sum + (x * direction[j]) / size, 0),
        );
      }
      expect(most).toBeLessThanOrEqual(farthest * (1 + 1e-12));
      expect(most).toBeGreaterThan(0.97 * farthest);
      expect(widest).toBeLessThanOrEqual(circumradius * (1 + 1e-9));
      // Points far out stand for the support function only nearly, and directions are drawn.
      expect(least).toBeGreaterThan(inner - 1e-3);
      expect(least).toBeLessThan(inner + 0.15 * farthest);
    }
  });

  it('has the bias bound of the ℓ2 clip at the inner radius, and more where 0 is outside', () => {
    const moment = { order: 3, value: 8 };
    expect(domainClip.biasBound(ofDomain(cross(2), 4), moment)).toBe(l2Clip.biasBound({ radius: 1 }, moment));
    expect(domainClip.biasBound(ofDomain(box(0, 1), 4), moment)).toBeCloseTo(2, 12);
    expect(domainClip.biasBound(ofDomain(ball(1, 3, 4), 2), moment)).toBeCloseTo(6, 9);
    expect(domainClip.biasBound(ofDomain(ball(1, 3, 4), 2), { order: 2, value: 0 })).toBeCloseTo(4, 9);
  });

  it('moves by at most the radius when a record replaces a null record, also if zero is not in the set', () => {
    let largest = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(
          ball(1, 3, 4),
          ball(2, 0.5, 1),
          box([1, -2], [2, 5]),
          { name: 'simplex' },
          cross(1, 0, 3),
          cut(box([1, -1], [9, 1]), 2),
        ),
        vectorOf(2, -2, 3),
        (domain, z) => {
          const params = ofDomain(domain, 2);
          const record = z.slice();
          const none = new Float64Array(2);
          domainClip.clipInPlace(params, record);
          domainClip.clipInPlace(params, none);
          const moved = norm(minus(record, none)) / domainClip.radius(params);
          expect(moved).toBeLessThanOrEqual(1 + 1e-12);
          largest = Math.max(largest, moved);
        },
      ),
    );
    expect(largest).toBeGreaterThan(0.9);
  });

  it('makes a vector zero for one entry that is not finite, though zero is not in the set', () => {
    const z = Float64Array.of(1, NaN);
    domainClip.clipInPlace(ofDomain(ball(1, 3, 4), 2), z);
    expect(z).toEqual(new Float64Array(2));
  });

  it('refuses vectors of another length, whatever is in them', () => {
    for (const z of [new Float64Array(2), Float64Array.of(1, 2, 3, NaN)])
      expect(() => {
        domainClip.clipInPlace(ofDomain(cross(2), 3), z);
      }).toThrow(IncompatiblePlugins);
  });

  it('refuses unbounded, unknown, one-point sets and other dimensions, before any data', () => {
    const bad: readonly (readonly [Reference, number])[] = [
      [{ name: 'whole-space' }, 2],
      [{ name: 'moon' }, 2],
      [box(0, 0), 2],
      [ball(1, 1, 2), 3],
      [ball(-1), 2],
      [box(1, -1), 2],
      [cut(box([5, 5], [6, 6]), 1), 2],
      [cross(NaN), 2],
      [cross(1), 0],
      [cross(1), 1.5],
      [cross(1), 2 ** 40],
      [cross(1), NaN],
    ];
    for (const [domain, dimension] of bad)
      expect(() => domainClip({ domain: domain as never, dimension })).toThrow(InvalidParameter);
  });
});
