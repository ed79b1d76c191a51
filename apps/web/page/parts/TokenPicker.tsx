import { Effect } from "effect";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { sumText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { safeName } from "../safeName.ts";
import { client } from "../service.ts";
import { type KnownToken, remember, useTokens } from "../tokens.ts";
import { TokenSymbol } from "./TokenName.tsx";

const LIMIT = 12;
const PAUSE_MS = 150;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/u;

interface Found extends KnownToken {
  readonly liquidity: number;
}

interface Answer {
  /** What was searched for. */
  readonly text: string;
  readonly entries: ReadonlyArray<Found>;
}

/** A field for one token, by symbol, name or address. Keys move through the results. */
export function TokenPicker({
  label,
  address,
  onPick,
}: {
  readonly label: string;
  readonly address: string;
  readonly onPick: (address: string) => void;
}) {
  const network = useNetwork();
  const id = useId();
  /** What is typed; undefined while the list is closed. */
  const [text, setText] = useState<string>();
  const [answer, setAnswer] = useState<Answer>();
  const [active, setActive] = useState(0);
  /** Enter was pressed before the answer to the text arrived: it picks the answer's first token. */
  const isFirstWanted = useRef(false);
  const token = useTokens(network.id, address === "" ? [] : [address]).get(address.toLowerCase());
  const isOpen = text !== undefined;
  const isAnswered = answer !== undefined && answer.text === text;
  const found = answer?.entries ?? [];
  const pick = (picked: string | undefined) => {
    isFirstWanted.current = false;
    setText(undefined);
    if (picked !== undefined) onPick(picked);
  };
  useEffect(() => {
    isFirstWanted.current = false;
    if (text === undefined) return;
    const aborting = new AbortController();
    const asking = setTimeout(() => {
      search(network.id, network.chainId, text, aborting.signal).then(
        (entries) => {
          if (aborting.signal.aborted) return;
          setAnswer({ text, entries });
          setActive(0);
          if (isFirstWanted.current) pick(entries[0]?.address);
        },
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(asking);
      aborting.abort();
    };
  }, [text, network.id]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) return setText("");
      const step = event.key === "ArrowDown" ? 1 : found.length - 1;
      setActive((active + step) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const typed = text?.trim() ?? "";
      if (ADDRESS.test(typed)) pick(typed);
      else if (isAnswered) pick(found[active]?.address);
      else isFirstWanted.current = isOpen;
    } else if (event.key === "Escape") setText(undefined);
  };
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(isOpen && found[active] && { "aria-activedescendant": `${id}-${active}` })}
        autocomplete="off"
        spellcheck={false}
        placeholder="Symbol, name or address"
        value={text ?? (token === undefined ? address : safeName(token.symbol).text)}
        onFocus={() => setText("")}
        onClick={() => setText(text ?? "")}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => setText(undefined)}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
        {isAnswered && found.length === 0 && (
          <div role="option" aria-selected={false} aria-disabled tabIndex={-1}>
            No token is called that.
          </div>
        )}
        {found.map((entry, at) => (
          // The field handles keys: results are never focused.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see onKeyDown of the field
          <div
            key={entry.address}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(entry.address)}
          >
            <TokenSymbol token={entry} />{" "}
            <bdi class="name quiet" dir="auto">
              {safeName(entry.name).text}
            </bdi>
            <span class="number quiet">{sumText(entry.liquidity)}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

async function search(
  network: string,
  chainId: number,
  text: string,
  signal: AbortSignal,
): Promise<ReadonlyArray<Found>> {
  const found = await Effect.runPromise(foundBy(text.trim(), chainId), { signal });
  return found.map((token) => {
    const entry = { ...token, contractAddress: token.address };
    remember(network, entry);
    return entry;
  });
}

type Listed = Omit<Found, "contractAddress">;

/** For an empty query the most liquid tokens, for an address its token, else a search by name. */
function foundBy(query: string, chainId: number): Effect.Effect<ReadonlyArray<Listed>, unknown> {
  const { market } = client.http;
  if (query === "") {
    const first = { page: 1, limit: LIMIT, sort: "-liquidity" } as const;
    return Effect.map(market.tokens({ query: { chainId, ...first } }), ({ data }) => data);
  }
  if (ADDRESS.test(query)) {
    const asked = market.token({ params: { address: query as never }, query: { chainId } });
    return Effect.map(asked, ({ data }) => [data]);
  }
  const asked = market.searchTokens({ params: { query }, query: { chainId, limit: LIMIT } });
  return Effect.map(asked, ({ data }) => data);
}
