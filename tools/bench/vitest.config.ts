import { definePackageConfig } from '../../vitest.shared.ts';

export default definePackageConfig('bench', { isolate: true });
