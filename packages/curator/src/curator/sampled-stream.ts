import {
  resolvePlugin,
  type PrefixSum,
  type PrefixSumShape,
  type Ref,
  type Registry,
  type Resolved,
  type SampledStream,
  type Sampler,
  type SamplerStream,
} from '@lethe/core';
import { IncompatiblePlugins, Unsupported } from '@lethe/numerics';

/** A sampler that draws the batches of streams. */
export interface StreamSampler extends Resolved<Sampler> {
  readonly stream: SamplerStream;
}

/** @throws {Unsupported} for a sampler that draws single batches only. */
export function streamSampler(registry: Registry, ref: Ref<'sampler'>): StreamSampler {
  const { plugin, params } = resolvePlugin<Sampler>(registry, ref);
  if (plugin.stream !== undefined) return { plugin, params, stream: plugin.stream };
  const others = registry.flatMap((one) =>
    one.kind === 'sampler' && (one as Sampler).stream !== undefined ? [`'${one.name}'`] : [],
  );
  throw new Unsupported(
    `sampler '${plugin.name}' does not draw the batches of a stream; ` +
      (others.length === 0 ? 'none that is registered does' : `use one of ${others.join(', ')}`),
    { sampler: plugin.name },
  );
}

/** A stream of prefix sums as the sampler of its batches sees it. */
export function sampledStream(
  { plugin, params }: Resolved<PrefixSum>,
  shape: PrefixSumShape,
  sigma: number,
  slots?: number,
): SampledStream {
  return {
    steps: shape.steps,
    ...(slots !== undefined && { slots }),
    sigma,
    bandwidth: plugin.bandwidth?.(params, shape) ?? shape.steps,
    encoder: (row, column) => plugin.encoder(params, shape, row, column),
    columnNorm: (participation) => plugin.columnNorm(params, shape, participation),
  };
}

/** What is checked of a batch that a sampler draws for a step of a stream. */
export function assertStreamBatch(positions: Uint32Array, slots: number, sampler: string): void {
  const isAscending = positions.every((one, i) => one < slots && (i === 0 || one > positions[i - 1]));
  if (positions instanceof Uint32Array && isAscending) return;
  throw new IncompatiblePlugins(
    `sampler '${sampler}' drew positions that do not ascend inside the batch; it breaks its contract`,
    { sampler },
  );
}
