import { definePackageConfig } from '../../vitest.shared.ts';

export default definePackageConfig('generators', { isolate: true });
