// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice A smart account that accepts what one key has signed.
contract KeyWallet is IERC1271 {
    address private immutable _key;

    constructor(address key) {
        _key = key;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        bool ok = ecrecover(digest, uint8(signature[64]), r, s) == _key;
        return ok ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @notice Deploys smart accounts at addresses that are known beforehand.
contract KeyWalletFactory {
    function deploy(address key) external returns (address) {
        return address(new KeyWallet{salt: 0}(key));
    }
}
