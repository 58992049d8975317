export function source(): string;
export function assemble(text?: string): Promise<Uint8Array>;
export const files: readonly { readonly target: URL; readonly text: () => Promise<string> }[];
export function unpacked(text: string): string;
