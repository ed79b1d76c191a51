import type { Rows } from "./Quote.ts";

const p50 = (name: string) => `p50 {${name}.p50}, p99 {${name}.p99}`;
const first = (page: string) => `{market-data.${page}.first}`;

/** Kinds of hostile clients; see `hostileRequests`. */
const HOSTILE_KINDS = [
  ["ladders", "subscribes to ladders of 16 amounts, 64 paths, 4 hops"],
  ["assume", "quotes with 255 assumptions"],
  ["explain", "has quotes of 64 paths explained"],
  ["splits", "quotes of 64 paths"],
  ["tokens", "reads pages of 500 tokens"],
  ["metrics", "reads the metrics"],
  ["pipelined", "sends reads without waiting for answers"],
  ["slow-reader", "asks and does not read"],
  ["refused", "asks for what is refused"],
] as const;

/** The service: HTTP, a live chain, market data, streams, overload, and resources. */
export const serviceTables: Readonly<Record<string, Rows>> = {
  http: [
    ["`POST /ETH/quote`, 64 connections", `{http-quote.service}, ${p50("http-quote.service")}`],
    ["a bare uWebSockets.js handler, in turn", `{http-quote.bare}, ${p50("http-quote.bare")}`],
    ["the service's rate in units of the bare handler's", "{http-quote.ratio}"],
    ["the load is made by `wrk` (else by Node, which is slower)", "{http-quote.load-by-wrk}"],
    ["from the start of the process to ready", "{http-quote.start}"],
  ],
  "live-chain": [
    ["from a block's announcement to the graph that has it", p50("live-chain.block")],
    ["of which the node's own answer for the block's logs", "p50 {live-chain.node-answer.p50}"],
    ["reading a whole market, {live-chain.bulk.pools} pools", "{live-chain.bulk.rate}"],
    ["from the start of the service to ready on the two devnets", "{live-chain.service.ready}"],
  ],
  "market-data": [
    ["tokens, pools", "{market-data.tokens}, {market-data.pools}"],
    [
      "{market-data.swaps.busy.count} swaps of one block in {market-data.swaps.busy.pools} of 5,000 pools: windows, trades, candles",
      "{market-data.swaps.busy.applied}, slices up to {market-data.swaps.busy.longest.worst}",
    ],
    [
      "the same with prices, lists and search of the block",
      "{market-data.swaps.busy.with-prices}, slices up to {market-data.swaps.busy.with-prices.longest}",
    ],
    [
      "{market-data.swaps.even.count} swaps of one block in {market-data.swaps.even.pools} of all pools",
      "{market-data.swaps.even.applied}, slices up to {market-data.swaps.even.longest.worst}",
    ],
    [
      "a day of history, {market-data.history.swaps} swaps",
      "{market-data.history.total}, slices up to {market-data.history.longest}",
    ],
    [
      "prices published of a block that touches {market-data.prices.touched} pools",
      "{market-data.prices.random.published}; {market-data.prices.hubs.published} with pools of hubs",
    ],
    [
      "all prices, liquidity and lists of that block, in the background",
      "{market-data.prices.hubs.settled}, slices up to {market-data.prices.hubs.longest}",
    ],
    ["a page of `/tokens`, first of a block", first("tokens-page.default")],
    ["in the worst order", first("tokens-page.worst")],
    ["with the worst filter", first("tokens-page.filtered.worst")],
    ["the same page again within the block", "{market-data.tokens-page.default.later}"],
    ["a page of `/pools`, first of a block, worst order", first("pools-page.worst")],
    [
      "a search for three letters and more, as people type them",
      "p50 {market-data.search.typed.p50}, worst {market-data.search.typed.worst}",
    ],
    ["a search meant to be slow, worst", "{market-data.search.adversarial.worst}"],
    ["a search for one or two letters, worst", "{market-data.search.short.worst}"],
    ["memory of a token, beside trades and candles", "{market-data.bytes-per-token}"],
    [
      "`GET /tokens/:address`, 64 connections",
      `{market-data.token.service}, ${p50("market-data.token.service")}`,
    ],
    [
      "a bare uWebSockets.js handler that stringifies as much, in turn",
      "{market-data.token.bare}: ratio {market-data.token.ratio}",
    ],
    ["saved in slices, {market-data.save.size}", "{market-data.save.time}"],
    ["restored", "{market-data.restore.time}"],
  ],
  streams: [
    ...prices("universe-a", "recorded market"),
    ...prices("generated", "5,000 generated pools"),
    ...quotes("universe-a", "recorded market"),
    ...quotes("generated", "5,000 generated pools"),
    [
      "{streams.connections.count} connections, {streams.connections.published} messages a second each: CPU of the service, in cores",
      "{streams.connections.cpu}",
    ],
    ["from `sentAt` to the read", p50("streams.connections.read")],
    [
      "intermediate values left out for slow readers; gaps unnoticed",
      "{streams.connections.spared}; {streams.connections.unnoticed}",
    ],
    [
      "memory of the service after the first and the fifth minute",
      "{streams.connections.resident.minute-1}, {streams.connections.resident.minute-5}",
    ],
    [
      "as fast as the connections take it, messages of {streams.push.message-size}",
      "{streams.push.service}",
    ],
    [
      "a bare uWebSockets.js server that sends the same bytes to each",
      "{streams.push.bare}: ratio {streams.push.ratio}",
    ],
    [
      "the same with its `publish`",
      "{streams.push.bare-publish}: ratio {streams.push.ratio-publish}",
    ],
  ],
  costs: [
    ["the kind of request that pays the most for its time", "{costs.dearest}"],
    ["the kind that pays the least", "{costs.cheapest}"],
  ],
  overload: [
    ...[64, 256, 1_024, 4_096].flatMap((clients) => waiting(clients)),
    [
      "capacity: 64 clients at a time, over {overload.connections.count} connections in turn",
      "{overload.connections}, {overload.connections.ratio}",
    ],
    ...[0.5, 0.9, 1.5, 3, 10].flatMap((share) => offered(share)),
    [
      "half again right after that: time of an answer",
      "p99 {overload.after.p99}, {overload.after.shed} refused",
    ],
    ["delay of the event loop", "p99 {overload.event-loop.p99}"],
    ["memory before and after", "{overload.memory.before}, {overload.memory.after}"],
  ],
  hostile: [
    ["a client alone: p99 of its quotes", "{hostile.calm.p99}"],
    ...HOSTILE_KINDS.map(
      ([name, title]) =>
        [
          `while another ${title}: p99 in units of that; first value of a heavy stream`,
          `{hostile.${name}.p99.ratio}, {hostile.${name}.first-value}`,
        ] as const,
    ),
  ],
  history: [
    [
      "2,000 swaps a second for {history.writes.minutes}: time until a write is on the disk",
      "p50 {history.writes.behind.p50}, p99 {history.writes.behind.p99}, worst {history.writes.behind.worst}",
    ],
    ["of which on the thread that sends, a swap", "{history.writes.sending}"],
    ["a block of {history.large-block.swaps}", "{history.large-block}"],
    ["room on the disk a swap, of those", "{history.writes.bytes}"],
    [
      "p99 of a quote, 1,000 a second, beside 2,000 swaps a second; alone; in turn in one run",
      "{history.quotes.beside.p99}; {history.quotes.p99}; {history.quotes.ratio}",
    ],
    [
      "{history.month.rows} candles of a minute, of one pool among {history.rows}: in a new thread; again; the twelfth time",
      "{history.month.cold}; {history.month.warm}; {history.month.hot}",
    ],
    ...["busy-pool", "busy-token", "rare-pool", "rare-token"].map(
      (name) =>
        [
          `first page of trades of a ${name.replace("-", " ")}`,
          `{history.page.${name}.cold}; {history.page.${name}.warm}; {history.page.${name}.hot}`,
        ] as const,
    ),
  ],
  feed: [
    [
      "{feed.blocks} blocks, {feed.servers} servers that read: from the node's announcement to the first server that tells its clients, the leader as a rule",
      p50("feed.to-first"),
    ],
    ["from there to the last server", p50("feed.spread")],
    ["from the announcement to the last server", p50("feed.to-all")],
    ["answers compared at equal blocks; that differ", "{feed.compared}; {feed.differing}"],
    [
      "a newcomer, from the start of its process to ready; worst",
      "{feed.newcomer}; {feed.newcomer.worst}",
    ],
    [
      "processor time a block, with its part of the quotes: the leader; a server",
      "{feed.cpu.leader}; {feed.cpu.server}",
    ],
    ["resident memory of a server", "{feed.resident}"],
  ],
  resident: [
    [
      "resident memory on the two devnets, after one minute and after ten",
      "{resident.minute-1}, {resident.minute-10}",
    ],
  ],
  soak: [
    [
      "{soak.minutes} minutes: quotes, messages of streams, reorganisations, reconnects",
      "{soak.quotes}, {soak.messages}, {soak.reorganisations}, {soak.reconnects}",
    ],
    ["refused; errors; stale answers", "{soak.refused}; {soak.errors}; {soak.stale}"],
    [
      "what stays after full collections, first and last; slope of the second half, and its error",
      "{soak.kept.first}, {soak.kept.last}; {soak.kept.slope}, {soak.kept.slope.error}",
    ],
  ],
  tail: ["64", "143"].flatMap((thousands) =>
    ["500", "2000"].flatMap((perSecond) => tailOf(thousands, perSecond)),
  ),
};

function waiting(clients: number): Rows {
  const name = `overload.waiting.${clients}`;
  return [
    [
      `${clients} clients, each waits for its answer`,
      `{${name}}, {${name}.ratio}, p50 {${name}.p50}, p99 {${name}.p99}, {${name}.shed} refused`,
    ],
  ];
}

function offered(share: number): Rows {
  const name = `overload.offered.${share}`;
  return [
    [
      `${share} times the capacity, at fixed times`,
      `{${name}.answered} answered, p50 {${name}.p50}, p99 {${name}.p99}; {${name}.unsent} not sent; who asks was late by {${name}.late.p99} at p99`,
    ],
  ];
}

function tailOf(thousands: string, perSecond: string): Rows {
  const name = `tail.${thousands}k.${perSecond}`;
  const causes = ["block", "bounds", "valuation", "history", "answers", "gc", "other"];
  return [
    [
      `${thousands},000 pools, ${Number(perSecond).toLocaleString("en")} quotes a second: time of an answer`,
      `p50 {${name}.p50}, p99 {${name}.p99}, {${name}.answered} answered`,
    ],
    [
      "longest hold of the event loop",
      `{${name}.hold}: ${causes.map((cause) => `${cause} {${name}.hold.${cause}}`).join(", ")}`,
    ],
  ];
}

function prices(name: string, title: string): Rows {
  const prefix = `streams.prices.${name}`;
  return [
    [
      `{${prefix}.subscribers} subscribers to prices, ${title}: block applied → last new price sent; read`,
      `{${prefix}.sent.p50}; {${prefix}.read.p50}`,
    ],
    ["until liquidity, worked out in the background, is published too", `{${prefix}.all.read.p50}`],
  ];
}

function quotes(name: string, title: string): Rows {
  const prefix = `streams.quotes.${name}`;
  return [
    [
      `{${prefix}.subscribers} distinct quotes, ${title}, {${prefix}.relevant} worked out anew: block applied → last of {${prefix}.messages} messages read`,
      `{${prefix}.read.p50}`,
    ],
  ];
}
