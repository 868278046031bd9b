// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice A contract that says yes to one signature over one digest.
contract ContractWallet is IERC1271 {
    bytes32 private _accepted;

    function accept(bytes32 digest, bytes calldata signature) external {
        _accepted = keccak256(abi.encode(digest, signature));
    }

    function isValidSignature(bytes32 digest, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        bool ok = keccak256(abi.encode(digest, signature)) == _accepted;
        return ok ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @notice A contract whose answer is whatever the test wants.
contract OddWallet {
    enum Kind {
        Silent,
        Short,
        Reverting,
        Burning,
        WrongWord,
        BareTrue,
        LeftAligned,
        Long
    }

    Kind private immutable _kind;

    constructor(Kind kind) {
        _kind = kind;
    }

    fallback() external {
        if (_kind == Kind.Reverting) revert("no");
        if (_kind == Kind.Burning) {
            while (true) {}
        }
        if (_kind == Kind.Silent) return;
        bytes32 word = bytes32(IERC1271.isValidSignature.selector);
        uint256 length = 32;
        if (_kind == Kind.Short) length = 4;
        if (_kind == Kind.Long) length = 96;
        if (_kind == Kind.WrongWord) word = bytes32(bytes4(0x1626ba7f));
        if (_kind == Kind.BareTrue) word = bytes32(uint256(1));
        if (_kind == Kind.LeftAligned) word = bytes32(uint256(uint32(0x1626ba7e)));
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, length)
        }
    }
}
