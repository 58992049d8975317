import { definePackageConfig } from '../../vitest.shared.ts';

export default definePackageConfig('@lethe/node', { isolate: true });
