import type { Address } from "@millrace/core";
import { Effect } from "effect";
import {
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
} from "viem/utils";
import type { ChainAccess } from "../ChainAccess.ts";
import { readString, readWord } from "../chain/answers.ts";
import { tryContract } from "../chain/callContract.ts";

const permitAbi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function nonces(address owner) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function PERMIT_TYPEHASH() view returns (bytes32)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);

/** Only domains with these fields are supported; `version` may be missing. */
interface PermitDomain {
  readonly name: string;
  readonly version?: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

const PERMIT_TYPEHASH = BigInt(
  keccak256(
    stringToHex(
      "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)",
    ),
  ),
);

/**
 * The EIP-712 domain of a token that takes EIP-2612 permits, and the owner's nonce. Undefined where
 * the token takes none, or where no domain of its name and version hashes to its DOMAIN_SEPARATOR.
 * That hash proves the domain, whatever else the token says.
 */
export const readPermitDomain = Effect.fnUntraced(function* (
  chain: ChainAccess,
  {
    token,
    owner,
    chainId,
  }: { readonly token: Address; readonly owner: Address; readonly chainId: number },
) {
  const ask = (functionName: Exclude<(typeof permitAbi)[number]["name"], "nonces">) =>
    tryContract(chain, { to: token, data: encodeFunctionData({ abi: permitAbi, functionName }) });
  const askNonce = tryContract(chain, {
    to: token,
    data: encodeFunctionData({ abi: permitAbi, functionName: "nonces", args: [owner] }),
  });
  const [nonceAnswer, separatorAnswer, typehashAnswer, name, version, domain] = yield* Effect.all(
    [
      askNonce,
      ask("DOMAIN_SEPARATOR"),
      ask("PERMIT_TYPEHASH"),
      ask("name"),
      ask("version"),
      ask("eip712Domain"),
    ],
    { concurrency: "unbounded" },
  );
  const [nonce, separator] = [readWord(nonceAnswer), readWord(separatorAnswer)];
  if (nonce === undefined || separator === undefined) return undefined;
  // Another type hash, as DAI's, means another permit.
  if ((readWord(typehashAnswer) ?? PERMIT_TYPEHASH) !== PERMIT_TYPEHASH) return undefined;
  const names = known([readString(domain, 1), readString(name)]);
  const versions = [...known([readString(domain, 2), readString(version), "1", "2"]), undefined];
  const proved = names
    .flatMap((name) => versions.map((version) => makeDomain(name, version, chainId, token)))
    .find((candidate) => BigInt(separatorOf(candidate)) === separator);
  return proved && { domain: proved, nonce };
});

/** The defined texts, without duplicates. */
const known = (texts: ReadonlyArray<string | undefined>): ReadonlyArray<string> => [
  ...new Set(texts.filter((text) => text !== undefined)),
];

const makeDomain = (
  name: string,
  version: string | undefined,
  chainId: number,
  verifyingContract: Address,
) => ({ name, ...(version === undefined ? {} : { version }), chainId, verifyingContract });

const hashText = (text: string) => keccak256(stringToHex(text));

const TYPE_WITH_VERSION = hashText(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
);
const TYPE_WITHOUT_VERSION = hashText(
  "EIP712Domain(string name,uint256 chainId,address verifyingContract)",
);
const WORDS_WITH_VERSION = parseAbiParameters("bytes32, bytes32, bytes32, uint256, address");
const WORDS_WITHOUT_VERSION = parseAbiParameters("bytes32, bytes32, uint256, address");

/** EIP-712's hashStruct of a domain. */
function separatorOf({ name, version, chainId, verifyingContract }: PermitDomain): `0x${string}` {
  const place = [BigInt(chainId), verifyingContract] as const;
  return keccak256(
    version === undefined
      ? encodeAbiParameters(WORDS_WITHOUT_VERSION, [TYPE_WITHOUT_VERSION, hashText(name), ...place])
      : encodeAbiParameters(WORDS_WITH_VERSION, [
          ...([TYPE_WITH_VERSION, hashText(name), hashText(version)] as const),
          ...place,
        ]),
  );
}
