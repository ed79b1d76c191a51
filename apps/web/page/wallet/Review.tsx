import { useEffect, useRef, useState } from "preact/hooks";
import { amountText, partText, shortAddress, timeText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { Fields } from "../parts/Fields.tsx";
import { FocusedHeading } from "../parts/FocusedHeading.tsx";
import { Notice } from "../parts/Notice.tsx";
import { TokenAmount } from "../parts/TokenAmount.tsx";
import { StepTable } from "../quote/StepTable.tsx";
import { type KnownToken, useTokens } from "../tokens.ts";
import type { BuiltSwap } from "./BuiltSwap.ts";
import { doubtsOf } from "./doubtsOf.ts";
import { toChain, walletFailure } from "./provider.ts";
import { type ReadSwap, readSwapCall } from "./readSwapCall.ts";
import {
  decoded,
  mined,
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
  readonly onDone: () => void;
}

/** The decoded transactions before they are signed; then the outcome beside the quote. */
export function Review({ built, onDone }: ReviewProps) {
  const network = useNetwork();
  const { answer, into } = built;
  const call = readSwapCall(answer.transactions.at(-1)!);
  const doubts = doubtsOf(built, call);
  const isExpired = useIsPast(call?.deadline);
  const [isSure, setIsSure] = useState(answer.simulated && call !== undefined);
  const [step, setStep] = useState<number>();
  // By position: a transaction that was sent is awaited, never sent again.
  const [sent, setSent] = useState<ReadonlyArray<string>>([]);
  const isOpen = useIsOpen();
  const [received, setReceived] = useState<Received>();
  const [failure, setFailure] = useState<string>();
  const execute = async () => {
    setFailure(undefined);
    const { provider } = built;
    const hashes = [...sent];
    try {
      for (const [at, transaction] of answer.transactions.entries()) {
        // After the view is closed, nothing more is signed.
        if (!isOpen()) return;
        setStep(at);
        if (hashes[at] === undefined) {
          await toChain(provider, network);
          hashes[at] = await send(provider, network.chainId, transaction);
          setSent([...hashes]);
        }
        const receipt = await mined(provider, hashes[at]!);
        if (BigInt(receipt.status) !== 1n) {
          setSent(hashes.slice(0, at));
          throw new Error("The transaction was mined and reverted: nothing was swapped.");
        }
        if (at < answer.transactions.length - 1) continue;
        setReceived({ receipt, amount: await amountReceived(built, receipt) });
      }
    } catch (cause) {
      setFailure(walletFailure(cause));
    }
    setStep(undefined);
  };
  if (received !== undefined) {
    return <Outcome built={built} received={received} onDone={onDone} />;
  }
  const isUnderWay = sent.length === answer.transactions.length;
  const isStopped = step !== undefined || (isExpired && !isUnderWay) || doubts.length > 0;
  return (
    <section class="swap" aria-labelledby="review">
      <FocusedHeading id="review">What you will sign</FocusedHeading>
      <Limits built={built} call={call} />
      <h3>Transactions</h3>
      <ol>
        {answer.transactions.map((transaction, at) => (
          <li key={transaction.data} class={at === step ? "active" : ""}>
            <TransactionText transaction={transaction} into={into} />
          </li>
        ))}
      </ol>
      <Steps built={built} />
      {doubts.map((doubt) => (
        <Notice key={doubt} kind="failure">
          {doubt}
        </Notice>
      ))}
      {call === undefined && (
        <Notice kind="warning">
          The bytes of the swap are of a form that cannot be read here.
        </Notice>
      )}
      {!answer.simulated && (
        <Notice kind="warning">No node has simulated it: look at it twice.</Notice>
      )}
      {isExpired && (
        <Notice kind="warning">It was good until now, and is not any more: go back.</Notice>
      )}
      {isSure ? (
        <button type="button" class="main" disabled={isStopped} onClick={() => void execute()}>
          {isUnderWay ? "Look for it again" : "Sign and send"}
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
          {sent[step] === undefined ? "" : `: ${shortAddress(sent[step])}`}
        </Notice>
      )}
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
    </section>
  );
}

/** Whether the view is still open, for work that may outlast it. */
function useIsOpen(): () => boolean {
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  return () => isOpen.current;
}

const MS = 1_000;
/** The longest delay of a timer. */
const WAIT_MAX_MS = 2 ** 31 - 1;

/** Whether a time, in Unix seconds, has passed. */
function useIsPast(seconds: number | undefined): boolean {
  const leftMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * MS - Date.now();
  const [, setLook] = useState(0);
  useEffect(() => {
    if (leftMs <= 0 || leftMs > WAIT_MAX_MS) return;
    const waiting = setTimeout(() => setLook((count) => count + 1), leftMs);
    return () => clearTimeout(waiting);
  }, [seconds]);
  return leftMs <= 0;
}

/** The limits and recipients of the swap, from its bytes where they can be read. */
function Limits({
  built: { quote, answer, account, into, out },
  call,
}: Pick<ReviewProps, "built"> & { readonly call: ReadSwap | undefined }) {
  const { minAmountOut, maxAmountIn, feeAmount, simulated } = answer;
  const amount = (units: bigint | string, token: KnownToken) => (
    <TokenAmount token={token} units={String(units)} />
  );
  const leastOut = call?.leastOut ?? minAmountOut;
  const mostIn = maxAmountIn === undefined ? undefined : (call?.mostIn ?? maxAmountIn);
  const fee =
    call === undefined || call.feeBps === 0
      ? feeAmount === "0"
        ? "none"
        : amount(feeAmount, out)
      : [amount(feeAmount, out), `, ${partText(call.feeBps)}, to ${call.feeRecipient}`];
  return (
    <Fields
      fields={[
        ["Goes in", amount(quote.amountIn, into)],
        ...(mostIn === undefined ? [] : [["At most", amount(mostIn, into)] as const]),
        ["Comes out", amount(quote.amountOut, out)],
        ...(leastOut === undefined ? [] : [["At least", amount(leastOut, out)] as const]),
        ["To", <code key="to">{call?.recipient ?? account}</code>],
        ["Partner's fee", fee],
        ...(call?.deadline === undefined
          ? []
          : [["Good until", timeText(call.deadline * MS)] as const]),
        ["Simulated", simulated ? "yes, on the newest block" : "no"],
      ]}
    />
  );
}

const UNLIMITED = 1n << 159n;

function TransactionText({
  transaction,
  into,
}: {
  readonly transaction: Transaction;
  readonly into: KnownToken;
}) {
  const does = decoded(transaction);
  if (does.kind === "swap") {
    return (
      <>
        Swap by the router <code>{does.to}</code>
        {does.value > 0n && `, with ${amountText(does.value, 18)} of the native token`}
      </>
    );
  }
  const isInput = does.token.toLowerCase() === into.contractAddress.toLowerCase();
  return (
    <>
      Allow <code>{does.spender}</code> to take{" "}
      {does.amount >= UNLIMITED ? (
        "any amount"
      ) : isInput ? (
        <TokenAmount token={into} units={String(does.amount)} />
      ) : (
        `${does.amount} smallest units`
      )}{" "}
      of <code>{does.token}</code>
    </>
  );
}

/** The requested route, which the service has recomputed and encoded. */
function Steps({ built: { quote } }: Pick<ReviewProps, "built">) {
  const network = useNetwork();
  const passed = quote.routePlan.flatMap(({ tokenA, tokenB }) => [tokenA, tokenB]);
  const tokens = useTokens(network.id, passed);
  if (quote.routePlan.length === 0) return null;
  return (
    <details>
      <summary>Steps: {quote.routePlan.length}</summary>
      <StepTable quote={quote} tokens={tokens} />
    </details>
  );
}

/** The exact amount received: by the transaction's logs, or by the sender's balance. */
async function amountReceived(
  { quote, account, provider, out }: BuiltSwap,
  receipt: Receipt,
): Promise<bigint> {
  if (quote.isNativeOut) return receivedNative(provider, receipt, account);
  return receivedToken(receipt, out.contractAddress, account);
}

function Outcome({
  built: { quote, out },
  received: { receipt, amount },
  onDone,
}: ReviewProps & { readonly received: Received }) {
  const difference = amount - BigInt(quote.amountOut);
  return (
    <section class="swap" aria-labelledby="outcome">
      <FocusedHeading id="outcome">Done</FocusedHeading>
      <Fields
        fields={[
          ["Shown", <TokenAmount key="shown" token={out} units={quote.amountOut} />],
          [
            "Received",
            <span key="received" data-received={String(amount)}>
              <TokenAmount token={out} units={String(amount)} />
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
