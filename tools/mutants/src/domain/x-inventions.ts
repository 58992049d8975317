import { domainAt, type DomainPlugin } from '@lethe/core';
import { type Domain } from '@lethe/numerics';
import { boxDomain, intersectionDomain, l1BallDomain, l2BallDomain, simplexDomain } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const changed = <P extends DomainPlugin>(
  plugin: P,
  change: (domain: Domain) => Partial<Domain>,
  params?: unknown,
) =>
  plantedPlugin(
    plugin as DomainPlugin,
    {
      build: (given, dimension, registry) => {
        const domain = plugin.build(given, dimension, registry);
        return { ...domain, ...change(domain) };
      },
    },
    params,
  );
const norm = (x: Float64Array): number => Math.hypot(...x);

export const xDomain1 = defineMutant({
  id: 'domain/points-scaled-cross-polytope-not-projected',
  title: 'points are scaled into the cross-polytope, not projected',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest'],
  within: 400,
  plant: () =>
    changed(l1BallDomain, (domain) => ({
      projectInto(out, point) {
        domain.projectInto(new Float64Array(point.length), point);
        if (domain.contains(point)) {
          out.set(point);
          return out;
        }
        const size = point.reduce((sum, x) => sum + Math.abs(x), 0);
        const radius = domain.diameter / 2;
        for (let j = 0; j < out.length; j++) out[j] = (point[j] / size) * radius * (1 - 1e-15);
        return out;
      },
    })),
});

export const xDomain2 = defineMutant({
  id: 'domain/intersection-projected-onto-one-set-other',
  title: 'an intersection is projected onto one set and then the other',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest'],
  within: 400,
  plant: () =>
    plantedPlugin(
      intersectionDomain,
      {
        build(params, dimension, registry) {
          const ball = domainAt(registry, l2BallDomain({ radius: params.ball.radius }), dimension);
          const box = domainAt(registry, params.domain, dimension);
          return {
            ...intersectionDomain.build(params, dimension, registry),
            projectInto: (out, point) => box.projectInto(out, ball.projectInto(out, point)),
          };
        },
      },
      undefined,
      [boxDomain, l2BallDomain],
    ),
});

export const xDomain3 = defineMutant({
  id: 'domain/diameter-radius',
  title: 'the diameter is the radius',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/diameter'],
  within: 1000,
  plant: () => changed(l2BallDomain, ({ diameter }) => ({ diameter: diameter / 2 })),
});

export const xDomain4 = defineMutant({
  id: 'domain/nan-passes-box-math-min-math-max',
  title: 'NaN passes the box: Math.min and Math.max return it',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/refuses'],
  within: 20,
  plant: () =>
    changed(boxDomain, (domain) => ({
      projectInto(out, point) {
        if (point.every(Number.isFinite) && out.length === point.length)
          return domain.projectInto(out, point);
        for (let j = 0; j < out.length; j++) out[j] = Math.min(Math.max(point[j], -1), 2);
        return out;
      },
    })),
});

export const xDomain5 = defineMutant({
  id: 'domain/output-cleared-before-point-read-wrong-place',
  title: 'the output is cleared before the point is read, which fails in place',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/in-place', 'domain/refuses'],
  within: 40,
  plant: () =>
    changed(l2BallDomain, (domain) => ({
      projectInto: (out, point) => domain.projectInto(out.fill(0), point),
    })),
});

export const xDomain6 = defineMutant({
  id: 'domain/negative-parts-cut-off-rest-scaled-sum',
  title: 'negative parts are cut off and the rest is scaled to the sum',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest'],
  within: 400,
  plant: () =>
    changed(simplexDomain, (domain) => ({
      projectInto(out, point) {
        const whole = domain.projectInto(new Float64Array(point.length), point);
        if (domain.contains(point)) {
          out.set(point);
          return out;
        }
        const positive = point.map((x) => Math.max(0, x));
        const sum = positive.reduce((a, b) => a + b, 0);
        if (!(sum > 0)) {
          out.set(whole);
          return out;
        }
        out.set(
          domain.projectInto(
            out,
            positive.map((x) => x / sum),
          ),
        );
        return out;
      },
    })),
});

export const xDomain7 = defineMutant({
  id: 'domain/ball-projected-onto-centred-origin',
  title: 'the projection uses a ball centred at the origin',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/idempotent', 'domain/nearest'],
  within: 20,
  plant: () =>
    changed(
      l2BallDomain,
      (domain) => ({
        projectInto(out, point) {
          const factor = Math.min(1, domain.diameter / 2 / norm(point));
          domain.projectInto(new Float64Array(point.length), point);
          for (let j = 0; j < out.length; j++) out[j] = point[j] * factor;
          return out;
        },
      }),
      { radius: 0.5, centre: [1, -2, 0.5] },
    ),
});

export const xDomain8 = defineMutant({
  id: 'domain/points-hundredth-outside-ball-count-members-moved',
  title: 'points outside the ball by 1 % count as members, and are moved by the projection',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/idempotent'],
  within: 2000,
  plant: () =>
    changed(l2BallDomain, (domain) => ({
      contains: (point, tolerance) => domain.contains(point, (tolerance ?? 0) + 0.01 * domain.diameter),
    })),
});
