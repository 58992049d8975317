import { engineOf, scratchEngine, type Engine } from '../linalg/arena.js';
import { layout } from '../linalg/kernels.wasm.js';
import { zigguratTables } from './ziggurat-tables.js';

const prepared = new WeakSet<Engine>();

/** The engine of the arena of `out`, or the scratch engine, with the ziggurat tables in its first page. */
export function keystreamEngine(out?: ArrayBufferView): Engine {
  const engine = (out === undefined ? null : engineOf(out)) ?? scratchEngine();
  if (!prepared.has(engine)) {
    const { gaussian, exponential } = zigguratTables();
    const put = (address: number, table: Float64Array): void =>
      new Float64Array(engine.memory.buffer, address, table.length).set(table);
    put(layout.gaussianLayers, gaussian.layers);
    put(layout.gaussianHeights, gaussian.heights);
    put(layout.exponentialLayers, exponential.layers);
    put(layout.exponentialHeights, exponential.heights);
    prepared.add(engine);
  }
  return engine;
}

/** Writes a key to the kernels' key slot. */
export function setKey({ key: slot }: Engine, key: Uint32Array): void {
  for (let i = 0; i < 8; i++) slot[i] = key[i];
}
