import type { Proximal } from '@lethe/numerics';
import type { Regulariser } from '@lethe/core';
import { lasso, ridge } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const changed = (plugin: Regulariser, change: (f: Proximal) => Partial<Proximal>) =>
  plantedPlugin(plugin, {
    build(params, dimension, registry) {
      const f = plugin.build(params, dimension, registry);
      return { ...f, ...change(f) };
    },
  });

export const stepAtMost = defineMutant({
  id: 'regulariser/steps-above-50-are-50',
  title: 'a step above 50 counts as 50',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/optimal'],
  within: 300,
  plant: () => {
    const cut = (eta: number): number => (eta > 50 && eta < 1e300 ? 50 : eta);
    return changed(lasso as Regulariser, (f) => ({
      coordinate: (index, z, eta) => defined(f.coordinate)(index, z, cut(eta)),
      proxInto: (out, z, eta) => f.proxInto(out, z, cut(eta)),
    }));
  },
});

export const entriesBeyond40 = defineMutant({
  id: 'regulariser/entry-41-left-alone',
  title: 'the proximal map leaves the 41st entry as it is',
  kind: 'regulariser',
  source: 'generic',
  killedBy: ['regulariser/optimal'],
  within: 900,
  plant: () =>
    changed(ridge as Regulariser, (f) => ({
      proxInto(out, z, eta) {
        const given = z[40];
        f.proxInto(out, z, eta);
        if (out.length > 40) out[40] = given;
        return out;
      },
    })),
});
