// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A plain token that a second contract can move too, as some tokens had after a change.
contract LedgerToken {
    mapping(address account => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function move(address from, address to, uint256 amount) public returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice Another address of the same money.
contract AliasToken {
    LedgerToken private immutable _ledger;

    constructor(LedgerToken ledger) {
        _ledger = ledger;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _ledger.balanceOf(account);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _ledger.move(msg.sender, to, amount);
    }
}
