/**
 * Who is trusted by the owners of records. With an untrusted server, the messages of each silo are private by
 * themselves. The
 * averages of silos have `weights` that add up to 1; left out, all are equal.
 */
export type TrustModel =
  | { readonly model: 'central' }
  | { readonly model: 'shuffle'; readonly honestUsers: number }
  | {
      readonly model: 'federated';
      readonly silos: number;
      readonly server: 'trusted' | 'untrusted';
      readonly weights?: readonly number[];
      /**
       * H, in simulations of secure sums: every silo is thought to add one of H shares of the noise of a
       * trusted server, whose noise is then √(M/H) times as large.
       */
      readonly simulatedShares?: number;
    }
  | {
      readonly model: 'secure-aggregation';
      readonly silos: number;
      /** Silos that may side with the server, at most. */
      readonly corrupted: number;
      /** Silos that a sum has at least; noise counts for `survivors − corrupted` of them. */
      readonly survivors: number;
    };
