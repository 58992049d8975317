/**
 * The parts of WebAssembly used by the kernels; declared here because not every host's type library has them.
 */
export interface WasmMemory {
  readonly buffer: ArrayBufferLike;
}
export type WasmModule = object;
interface WasmNamespace {
  readonly Memory: new (descriptor: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared?: boolean;
  }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { readonly env: { readonly memory: WasmMemory; readonly shift: number } },
  ) => { readonly exports: unknown };
}

export const wasm = (): WasmNamespace =>
  (globalThis as { readonly WebAssembly?: unknown }).WebAssembly as WasmNamespace;

/** Whether this host supports shared memory (browsers only on cross-origin isolated pages). */
export function canShareMemory(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  try {
    return new (wasm().Memory)({ initial: 1, maximum: 1, shared: true }).buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}
