import { openLiveMarket } from "./LiveMarket.ts";
import { readPools, poolOf } from "./readPools.ts";
const t = () => performance.now(); let t0 = t();
const live = await openLiveMarket("BASE", 5);
try {
  console.log("open", t() - t0); t0 = t();
  const p = await readPools(live.chain, live.devnet);
  console.log("read", p.size, t() - t0); t0 = t();
  await live.run(live.devnet.traffic.block(40) as never);
  await live.caughtUp();
  console.log("caught", t() - t0); t0 = t();
  const bytes = live.engine.snapshot();
  console.log("snapshot", bytes.length, t() - t0); t0 = t();
  const r = await live.run(live.source.verify(bytes) as never) as any;
  console.log("verify", r, t() - t0); t0 = t();
  const q = await readPools(live.chain, live.devnet);
  let bad = 0; for (const [a, x] of q) { const i = live.engine.graph.findPool(a)!; const y = poolOf(live.engine, i); const s = (o: unknown) => JSON.stringify(o, (_, v) => typeof v === "bigint" ? String(v) : v); if (s(x) !== s(y)) { bad++; console.log(s(x), s(y)); } }
  console.log("bad", bad, q.size, live.engine.graph.livePoolCount, t() - t0);
  console.log(live.rejected, live.source.status());
} finally { await live.close(); }
