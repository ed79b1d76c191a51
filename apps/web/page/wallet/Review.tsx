import { useState } from "preact/hooks";
import { amountText, shortAddress } from "../format.ts";
import { Fields } from "../parts/Fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { TokenSymbol } from "../parts/TokenName.tsx";
import type { KnownToken } from "../tokens.ts";
import { walletFailure } from "./provider.ts";
import type { BuiltSwap } from "./SwapPanel.tsx";
import {
  decoded,
  type Receipt,
  receivedNative,
  receivedToken,
  send,
  type Transaction,
} from "./transactions.ts";

interface Received {
  readonly receipt: Receipt;
  readonly amount: bigint;
}

interface ReviewProps {
  readonly built: BuiltSwap;
  readonly into: KnownToken;
  readonly out: KnownToken;
  readonly onDone: () => void;
}

/** What will be signed, decoded; then what came of it, against what was shown. */
export function Review({ built, into, out, onDone }: ReviewProps) {
  const { answer } = built;
  const [isSure, setIsSure] = useState(answer.simulated);
  const [step, setStep] = useState<number>();
  const [sent, setSent] = useState<string>();
  const [received, setReceived] = useState<Received>();
  const [failure, setFailure] = useState<string>();
  const execute = async () => {
    setFailure(undefined);
    try {
      for (const [at, transaction] of answer.transactions.entries()) {
        setStep(at);
        const receipt = await send(built.provider, transaction, setSent);
        if (BigInt(receipt.status) !== 1n) {
          throw new Error("The transaction was mined and reverted: nothing was swapped.");
        }
        if (at < answer.transactions.length - 1) continue;
        setReceived({ receipt, amount: await amountReceived(built, receipt, out) });
      }
    } catch (cause) {
      setFailure(walletFailure(cause));
    }
    setStep(undefined);
  };
  if (received !== undefined) {
    return <Outcome built={built} received={received} out={out} onDone={onDone} />;
  }
  return (
    <section class="swap" aria-labelledby="review">
      <h2 id="review">What you will sign</h2>
      <Limits built={built} into={into} out={out} />
      <ol>
        {answer.transactions.map((transaction, at) => (
          <li key={transaction.data} class={at === step ? "active" : ""}>
            <TransactionText transaction={transaction} />
          </li>
        ))}
      </ol>
      {!answer.simulated && (
        <Notice kind="warning">No node has simulated it: look at it twice.</Notice>
      )}
      {isSure ? (
        <button
          type="button"
          class="main"
          disabled={step !== undefined}
          onClick={() => void execute()}
        >
          Sign and send
        </button>
      ) : (
        <button type="button" onClick={() => setIsSure(true)}>
          I have looked at it
        </button>
      )}
      <button type="button" disabled={step !== undefined} onClick={onDone}>
        Back
      </button>
      {step !== undefined && (
        <Notice>
          Transaction {step + 1} of {answer.transactions.length}
          {sent === undefined ? "" : `: ${shortAddress(sent)}`}
        </Notice>
      )}
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
    </section>
  );
}

function Limits({ built: { quote, answer, account }, into, out }: Omit<ReviewProps, "onDone">) {
  const { minAmountOut, maxAmountIn, feeAmount, simulated } = answer;
  const text = (amount: string, token: KnownToken) => (
    <>
      {amountText(amount, token.decimals)} <TokenSymbol token={token} />
    </>
  );
  return (
    <Fields
      fields={[
        ["Goes in", text(quote.amountIn, into)],
        ...(maxAmountIn === undefined ? [] : [["At most", text(maxAmountIn, into)] as const]),
        ["Comes out", text(quote.amountOut, out)],
        ...(minAmountOut === undefined ? [] : [["At least", text(minAmountOut, out)] as const]),
        ["To", <code key="to">{account}</code>],
        ["Partner's fee", feeAmount === "0" ? "none" : text(feeAmount, out)],
        ["Simulated", simulated ? "yes, on the newest block" : "no"],
      ]}
    />
  );
}

const UNLIMITED = 1n << 159n;

function TransactionText({ transaction }: { readonly transaction: Transaction }) {
  const does = decoded(transaction);
  if (does.kind === "swap") {
    return (
      <>
        Swap by the router <code>{does.to}</code>
        {does.value > 0n && `, with ${amountText(does.value, 18)} of the native token`}
      </>
    );
  }
  const amount = does.amount >= UNLIMITED ? "any amount" : `${does.amount} smallest units`;
  return (
    <>
      Allow <code>{does.spender}</code> to take {amount} of <code>{does.token}</code>
    </>
  );
}

/** What came, to the unit: by the logs of the transaction, or by the balance of the sender. */
async function amountReceived(
  { quote, account, provider }: BuiltSwap,
  receipt: Receipt,
  out: KnownToken,
): Promise<bigint> {
  if (quote.isNativeOut) return receivedNative(provider, receipt, account);
  return receivedToken(receipt, out.contractAddress, account);
}

function Outcome({
  built: { quote },
  received: { receipt, amount },
  out,
  onDone,
}: {
  readonly built: BuiltSwap;
  readonly received: Received;
  readonly out: KnownToken;
  readonly onDone: () => void;
}) {
  const difference = amount - BigInt(quote.amountOut);
  return (
    <section class="swap" aria-labelledby="outcome">
      <h2 id="outcome">Done</h2>
      <Fields
        fields={[
          ["Shown", `${amountText(quote.amountOut, out.decimals)}`],
          [
            "Received",
            <span key="received" data-received={String(amount)}>
              {amountText(amount, out.decimals)} <TokenSymbol token={out} />
            </span>,
          ],
          [
            "Difference",
            difference === 0n ? "none, to the smallest unit" : amountDifference(difference, out),
          ],
          ["Block", String(BigInt(receipt.blockNumber))],
          ["Transaction", <code key="hash">{receipt.transactionHash}</code>],
        ]}
      />
      <button type="button" onClick={onDone}>
        Close
      </button>
    </section>
  );
}

function amountDifference(difference: bigint, { decimals }: KnownToken): string {
  const size = difference < 0n ? -difference : difference;
  return `${difference < 0n ? "−" : "+"}${amountText(size, decimals)}: the market has moved`;
}
