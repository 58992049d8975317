import type { Domain } from '@lethe/numerics';
import type { DomainPlugin } from '@lethe/core';
import { boxDomain, l2BallDomain, wholeSpaceDomain } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const changed = (plugin: DomainPlugin, change: (domain: Domain) => Partial<Domain>) =>
  plantedPlugin(plugin, {
    build: (given, dimension, registry) => {
      const domain = plugin.build(given, dimension, registry);
      return { ...domain, ...change(domain) };
    },
  });

export const xDomain9 = defineMutant({
  id: 'domain/contains-takes-no-notice-tolerance',
  title: 'contains ignores its tolerance',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/tolerance'],
  within: 100,
  plant: () =>
    changed(l2BallDomain as DomainPlugin, (domain) => ({ contains: (point) => domain.contains(point) })),
});

export const xDomain10 = defineMutant({
  id: 'domain/centre-follows-last-projection',
  title: 'the centre is the last projection',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/in-place', 'domain/idempotent'],
  within: 100,
  plant: () =>
    changed(wholeSpaceDomain as DomainPlugin, (domain) => ({
      projectInto: (out, point) => {
        domain.projectInto(out, point);
        domain.centre.set(out);
        return out;
      },
    })),
});

export const coordinateUnclamped = defineMutant({
  id: 'domain/coordinate-unclamped',
  title: 'the coordinate projection of a box does nothing',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/coordinate'],
  within: 100,
  plant: () => changed(boxDomain as DomainPlugin, () => ({ coordinate: (_index, value) => value })),
});

export const ballUnconstrained = defineMutant({
  id: 'domain/ball-unconstrained',
  title: 'a ball is declared unconstrained',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/coordinate'],
  within: 100,
  plant: () => changed(l2BallDomain as DomainPlugin, () => ({ unconstrained: true })),
});

export const nearestInL2 = defineMutant({
  id: 'domain/nearest-in-max-norm-is-nearest-in-l2',
  title: 'the point of a ball that is nearest in the maximum norm is that in ℓ2',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest-in-max-norm'],
  within: 1000,
  plant: () =>
    changed(l2BallDomain as DomainPlugin, (domain) => ({ nearestInMaxNormInto: domain.projectInto })),
});

export const reachOfBoxSide = defineMutant({
  id: 'domain/reach-of-a-box-is-its-longest-half-side',
  title: 'the reach of a box is half its longest side',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/reach'],
  within: 2000,
  plant: () =>
    changed(boxDomain as DomainPlugin, ({ centre, projectInto }) => ({
      reach: projectInto(
        new Float64Array(centre.length),
        centre.map((x) => x + 1e9),
      ).reduce((most, x, j) => Math.max(most, x - centre[j]), 0),
    })),
});
