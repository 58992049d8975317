export function source(): string;
export function assemble(): Promise<Uint8Array>;
export function generated(): Promise<string>;
export const target: URL;
