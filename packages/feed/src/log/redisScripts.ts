/**
 * The atomic steps of a log in Redis: no lease can end within one. Keys: the lease, the newest
 * epoch, the entries, the snapshot's manifest, the requests. A lease is the text `epoch holder`.
 * Lua's numbers are exact up to 2^53, as ours are.
 */
const LAST_ENTRY = `
local function lastId()
  if redis.call('EXISTS', KEYS[3]) == 0 then return nil end
  local found = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
  return found[1] and found[1][1], found[1] and found[1][2][2]
end
`;

/**
 * Arguments: holder, ms, epoch that the new one has to exceed. Gives the epoch, or an empty text.
 */
export const ACQUIRE = `${LAST_ENTRY}
if redis.call('EXISTS', KEYS[1]) == 1 then return '' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = lastId()
local written = last and tonumber(string.match(last, '^(%d+)-')) or 0
if written >= 2^52 then
  -- No lease ever had it: an id that is not ours has spoilt the order of all that would follow.
  redis.call('DEL', KEYS[3])
  written = 0
end
local known = tonumber(redis.call('GET', KEYS[2]) or '0') or 0
if known >= 2^52 then known = 0 end
local epoch = string.format('%.0f', math.max(now, known + 1, written + 1, tonumber(ARGV[3]) + 1))
redis.call('SET', KEYS[2], epoch)
redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1], 'PX', ARGV[2])
return epoch
`;

/** Arguments: lease, ms. */
export const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

/** Arguments: lease. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

/** Arguments: epoch. */
export const DEPOSE = `
local known = tonumber(redis.call('GET', KEYS[2]) or '0') or 0
if tonumber(ARGV[1]) > known then redis.call('SET', KEYS[2], ARGV[1]) end
local lease = redis.call('GET', KEYS[1])
if lease and tonumber(string.match(lease, '^(%d+) ')) <= tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
end
return 1
`;

/** Arguments: lease, epoch, sequence, bytes, how many entries to keep. */
export const APPEND = `${LAST_ENTRY}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'Deposed' end
local id = ARGV[2] .. '-' .. ARGV[3]
local last, bytes = lastId()
if last == id and bytes == ARGV[4] then return 'Appended' end
local sequence = last and string.match(last, '^' .. ARGV[2] .. '%-(%d+)$') or '0'
if tonumber(sequence) ~= tonumber(ARGV[3]) - 1 then return 'Lost' end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[5], id, 'b', ARGV[4])
return 'Appended'
`;

/**
 * Arguments: lease, manifest. Gives `1` and the former manifest, which may be empty; `0` where
 * deposed.
 */
export const SAVE_MANIFEST = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return '0' end
local former = redis.call('GET', KEYS[4]) or ''
redis.call('SET', KEYS[4], ARGV[2])
return '1' .. former
`;

/** Gives the newest epoch, and whether a lease stands. */
export const STANDING = `
return { redis.call('GET', KEYS[2]) or '0', redis.call('EXISTS', KEYS[1]) }
`;

/** Arguments: request, how many to keep, seconds. */
export const ASK = `
redis.call('RPUSH', KEYS[5], ARGV[1])
redis.call('LTRIM', KEYS[5], -tonumber(ARGV[2]), -1)
return redis.call('EXPIRE', KEYS[5], ARGV[3])
`;

/** Arguments: lease. */
export const TAKE_ASKED = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {} end
local asked = redis.call('LRANGE', KEYS[5], 0, -1)
redis.call('DEL', KEYS[5])
return asked
`;
