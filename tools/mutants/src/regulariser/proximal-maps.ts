import type { Proximal } from '@lethe/numerics';
import type { Regulariser } from '@lethe/core';
import { groupLasso, indicator, lasso, mechanisms, ridge } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const changed = (plugin: Regulariser, change: (f: Proximal) => Partial<Proximal>) =>
  plantedPlugin(
    plugin,
    {
      build(params, dimension, registry) {
        const f = plugin.build(params, dimension, registry);
        return { ...f, ...change(f) };
      },
    },
    undefined,
    mechanisms,
  );

export const stepForgotten = defineMutant({
  id: 'regulariser/step-forgotten',
  title: 'the proximal map ignores the step',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/optimal'],
  within: 100,
  plant: () =>
    changed(lasso as Regulariser, (f) => ({
      proxInto: (out, z, eta) => f.proxInto(out, z, eta > 0 && eta < Infinity ? 1 : eta),
    })),
});

export const groupsByCoordinate = defineMutant({
  id: 'regulariser/groups-by-coordinate',
  title: 'the group lasso is declared as separable over coordinates',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/separable'],
  within: 200,
  plant: () =>
    changed(groupLasso as Regulariser, () => ({
      coordinate: (_index, z, eta) => Math.sign(z) * Math.max(0, Math.abs(z) - eta / 2),
    })),
});

export const ridgeDoubled = defineMutant({
  id: 'regulariser/ridge-doubled',
  title: 'the declared ridge is twice the true one',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/declared'],
  within: 100,
  plant: () =>
    changed(ridge as Regulariser, (f) => ({
      ridge: { ...defined(f.ridge), strength: defined(f.ridge).strength.map((one) => 2 * one) },
    })),
});

export const curvedFlat = defineMutant({
  id: 'regulariser/curved-flat',
  title: 'a ridge is declared flat',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/declared'],
  within: 400,
  plant: () => changed(ridge as Regulariser, () => ({ flat: true })),
});

export const otherDomain = defineMutant({
  id: 'regulariser/other-domain',
  title: 'an indicator is finite on a larger set than declared',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/declared', 'regulariser/optimal'],
  within: 300,
  plant: () =>
    changed(indicator as Regulariser, (f) => ({
      value: (y) => {
        f.value(y);
        return defined(f.domain).contains(y, 0.5) ? 0 : Infinity;
      },
    })),
});

export const shrunkTwice = defineMutant({
  id: 'regulariser/shrunk-twice',
  title: 'the proximal map in place shrinks twice',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/in-place'],
  within: 100,
  plant: () =>
    changed(lasso as Regulariser, (f) => ({
      proxInto(out, z, eta) {
        f.proxInto(out, z, eta);
        return out === z ? f.proxInto(out, out, eta) : out;
      },
    })),
});

export const writtenThenRefused = defineMutant({
  id: 'regulariser/written-then-refused',
  title: 'an invalid step is refused after out was written to',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/refuses'],
  within: 40,
  plant: () =>
    changed(ridge as Regulariser, (f) => ({
      proxInto(out, z, eta) {
        if (!(eta > 0)) out.fill(0);
        return f.proxInto(out, z, eta);
      },
    })),
});

export const lassoHalved = defineMutant({
  id: 'regulariser/lasso-halved',
  title: 'the declared strength of a lasso is half of the true one',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/declared'],
  within: 100,
  plant: () => changed(lasso as Regulariser, (f) => ({ lasso: defined(f.lasso) / 2 })),
});
