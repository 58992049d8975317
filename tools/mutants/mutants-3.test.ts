import { describeMutants } from './shard.ts';

describeMutants(2, 4);
