import { openLiveMarket } from "./LiveMarket.ts";
import { readPools, poolOf } from "./readPools.ts";
import { Crowd } from "./Crowd.ts";
const t = () => performance.now(); let t0 = t();
const live = await openLiveMarket("BASE", 5);
try {
  console.log("open", t() - t0); t0 = t();
  const crowd = new Crowd(live.chain, live.devnet, 1);
  for (let i = 0; i < 6; i++) { await crowd.blocks(2, 200); console.log("blocks", t() - t0); t0 = t(); }
  await live.caughtUp(); console.log("caught", t() - t0); t0 = t();
  const topics = await live.chain.request<any[]>("eth_getLogs", [{ fromBlock: "0x5", toBlock: "latest" }]);
  const by: Record<string, number> = {}; for (const l of topics) by[l.topics[0].slice(0, 10)] = (by[l.topics[0].slice(0, 10)] ?? 0) + 1; console.log(by);
  const r = await live.run(live.source.verify(live.engine.snapshot()) as never) as any;
  console.log("verify", r, t() - t0); t0 = t();
  const q = await readPools(live.chain, live.devnet);
  let bad = 0, zero = 0; for (const [a, x] of q) { const i = live.engine.graph.findPool(a)!; const s = (o: unknown) => JSON.stringify(o, (_, v) => typeof v === "bigint" ? String(v) : v); if (i === undefined) { console.log("missing", s(x)); continue; } zero += x.ticks.filter(([, n]) => n === 0n).length; const y = poolOf(live.engine, i);  if (s(x) !== s(y)) { bad++; console.log(s(x), s(y)); } }
  console.log("bad", bad, "zero", zero, q.size, live.engine.graph.livePoolCount, t() - t0);
  console.log(live.rejected, live.source.status());
  console.log(process.cpuUsage(), process.resourceUsage().maxRSS);
} finally { await live.close(); }
