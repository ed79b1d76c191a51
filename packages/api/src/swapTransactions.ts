import { Schema } from "effect";

const Transaction = Schema.Struct({
  from: Schema.String.annotateKey({ description: "`publicKey`, as sent." }),
  to: Schema.String.annotateKey({ description: "A token, Permit2, or a router of the network." }),
  data: Schema.String.annotateKey({ description: "Hex." }),
  value: Schema.String.annotateKey({
    description:
      "Wei: `amountIn` when the input is native, or the most that may go in with `exactOutput`; " +
      "else `0`.",
  }),
}).annotate({ identifier: "Transaction", description: "An unsigned transaction." });

/** The body of POST `/:network/swap`. */
export const SwapTransactions = Schema.Struct({
  transactions: Schema.Array(Transaction).annotateKey({
    description: "In the order to send: none to three approvals, the swap last.",
  }),
  simulated: Schema.Boolean.annotateKey({
    description:
      "A node has executed all of them on the newest block, and the swap kept its limits. False " +
      "where no node could be asked: what is checked without one is checked all the same.",
  }),
  minAmountOut: Schema.optionalKey(Schema.String).annotateKey({
    description: "The least that the recipient gets, after the fee. Absent with `exactOutput`.",
  }),
  maxAmountIn: Schema.optionalKey(Schema.String).annotateKey({
    description: "The most that goes in. Only with `exactOutput`.",
  }),
  feeAmount: Schema.String.annotateKey({
    description: "The partner's fee at the recomputed output; `0` without one.",
  }),
}).annotate({
  identifier: "SwapTransactions",
  description: "What to sign and send, unsigned.",
  examples: [
    {
      transactions: [
        {
          from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
          to: "0x66a9893cc07d91d95644aedd05d03f95e1dba8af",
          data: "0x3593564c",
          value: "1000000000000000000",
        },
      ],
      simulated: true,
      minAmountOut: "2118136223",
      feeAmount: "6405552",
    },
  ],
});

export type SwapTransactions = typeof SwapTransactions.Type;

/** The body of POST `/:network/permit`. */
export const PermitAnswer = Schema.Struct({
  spender: Schema.String.annotateKey({
    description: "Who may take the tokens by the signature, or needs the approval without one.",
  }),
  kind: Schema.Literals(["EIP-2612", "PERMIT2", "NONE"]).annotateKey({
    description: "`NONE`: nothing can be signed; an approval is needed, or nothing.",
  }),
  typedData: Schema.optionalKey(
    Schema.Struct({
      domain: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])),
      types: Schema.Record(
        Schema.String,
        Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
      ),
      primaryType: Schema.String,
      message: Schema.Record(Schema.String, Schema.Unknown),
    }),
  ).annotateKey({ description: "As `eth_signTypedData_v4` takes it. Absent with `NONE`." }),
}).annotate({
  identifier: "PermitAnswer",
  description: "What a wallet signs, if anything, to save the router's approval.",
});

export type PermitAnswer = typeof PermitAnswer.Type;
