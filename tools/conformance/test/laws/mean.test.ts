import type { Clip, Json, Mechanism, Plugin, Ref, Registry } from '@lethe/core';
import { describePluginLaws } from '@lethe/laws/vitest';
import {
  certifiedMean,
  clippedMean,
  clips,
  coordinateMedianOfMeans,
  countSketchMean,
  gaussian,
  gaussianL1Recovery,
  hullProjectionMechanism,
  l1ProjectionMechanism,
  l2Clip,
  laplaceLatticeMean,
  laplaceProjectionMechanism,
  latticeMean,
  mechanisms,
  noiseMechanisms,
  projectionMechanism,
  shuffledMean,
  skellamLatticeMean,
  srhtMean,
} from '@lethe/mechanisms';
import { isFull, lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
// The recovery from 62 measurements takes a hundred times longer than that from one.
const options = optionsFor('mean', { unsampled: ['gaussian-l1-recovery #5'] });
// The laws of clips and of mechanisms try every clip and every noise in full.
const optionsOfPairs = optionsFor('mean', { further: ['clipped'] });

/** References to plugins of a kind, at the first of their examples. */
const at = <P extends Plugin>(
  kind: P['kind'],
  plugins: Registry,
): readonly { readonly plugin: P; readonly ref: Ref<P['kind']> }[] =>
  plugins.flatMap((plugin) => {
    if (plugin.kind !== kind) return [];
    const ref = { kind, name: plugin.name, params: (plugin.examples?.[0] ?? {}) as Json };
    return [{ plugin: plugin as unknown as P, ref }];
  });
const noises = at<Mechanism>('mechanism', noiseMechanisms);

// Any clip with any noise on vectors of real numbers in its norm; by day enough pairs that each clip and each
// noise is in one.
const paired = new Set<Plugin>();
for (const clip of at<Clip>('clip', clips)) {
  for (const { plugin, ref } of noises) {
    if (plugin.norm !== clip.plugin.norm || plugin.numerics === 'exact' || plugin.scalar === true) continue;
    if (!isFull && paired.has(clip.plugin) && paired.has(plugin)) continue;
    paired.add(clip.plugin).add(plugin);
    describePluginLaws(runner, () => clippedMean({ clip: clip.ref, mechanism: ref }), {
      registry: mechanisms,
      ...optionsOfPairs,
    });
  }
}

describePluginLaws(runner, () => clippedMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => clippedMean({ clip: l2Clip({ radius: 1e100 }), mechanism: gaussian({}) }), {
  registry: mechanisms,
  ...options,
});
describePluginLaws(runner, () => certifiedMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => shuffledMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => coordinateMedianOfMeans, { registry: mechanisms, ...options });
describePluginLaws(runner, () => projectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceProjectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => l1ProjectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => hullProjectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => gaussianL1Recovery, { registry: mechanisms, ...options });
describePluginLaws(runner, () => countSketchMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => srhtMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => latticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceLatticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => skellamLatticeMean, { registry: mechanisms, ...options });
