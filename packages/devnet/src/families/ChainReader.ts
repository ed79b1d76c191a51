import {
  type Abi,
  type Address,
  type ContractFunctionName,
  type DecodeFunctionResultReturnType,
  decodeFunctionResult,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
} from "viem";

/** A JSON-RPC request to a chain; an error rejects. */
export type ChainRequest = (method: string, params: ReadonlyArray<unknown>) => Promise<unknown>;

/** Reads contracts of a chain at one block. */
export class ChainReader {
  readonly #request: ChainRequest;
  readonly #block: Hex | "latest";

  constructor(request: ChainRequest, block: Hex | "latest" = "latest") {
    this.#request = request;
    this.#block = block;
  }

  /** Fails where the call reverts. */
  async read<const abi extends Abi, name extends ContractFunctionName<abi>>(
    to: Address,
    call: EncodeFunctionDataParameters<abi, name>,
  ): Promise<DecodeFunctionResultReturnType<abi, name>> {
    const data = encodeFunctionData(call as never);
    const answer = await this.#request("eth_call", [{ to, data, gas: CALL_GAS }, this.#block]);
    return decodeFunctionResult({ ...call, data: answer } as never) as never;
  }

  /** Undefined where the call reverts; any other error fails. */
  async ask<const abi extends Abi, name extends ContractFunctionName<abi>>(
    to: Address,
    call: EncodeFunctionDataParameters<abi, name>,
  ): Promise<DecodeFunctionResultReturnType<abi, name> | undefined> {
    try {
      return await this.read(to, call);
    } catch (cause) {
      if (/revert/i.test(String(cause))) return undefined;
      throw cause;
    }
  }

  /** Of the block, in Unix seconds. */
  async timestamp(): Promise<bigint> {
    const block = await this.#request("eth_getBlockByNumber", [this.#block, false]);
    return BigInt((block as { readonly timestamp: Hex }).timestamp);
  }

  /** Topics and data of a contract's logs since the chain began. */
  async logs(
    address: Address,
    topics: ReadonlyArray<Hex | ReadonlyArray<Hex> | null>,
  ): Promise<ReadonlyArray<{ readonly topics: [Hex, ...Hex[]]; readonly data: Hex }>> {
    const filter = { address, topics, fromBlock: "0x0", toBlock: this.#block };
    return (await this.#request("eth_getLogs", [filter])) as never;
  }
}

/** More gas than a swap over all ticks of a pool uses. */
const CALL_GAS = "0x1dcd6500";
